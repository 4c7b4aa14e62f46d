"""Depth of craters: a guarded root that is not guarded on the way back."""
import sys

import torch
from torch import nn


class Crater(nn.Module):
    def __init__(self):
        super().__init__()
        self.energy = nn.Parameter(torch.tensor([4.0, 1.0, 0.0, 2.0]))
        self.rock = nn.Parameter(torch.tensor(0.5))

    def depth(self):
        return torch.where(self.energy > 0.0, torch.sqrt(self.energy), torch.zeros(4))  #!

    def forward(self):
        return self.depth() * torch.exp(-self.rock)


class GuardedCrater(Crater):
    def depth(self):
        inside = self.energy > 0.0
        energy = torch.where(inside, self.energy, torch.ones(4))
        return torch.where(inside, torch.sqrt(energy), torch.zeros(4))


def survey(kind):
    crater = kind()
    depths = torch.tensor([1.0, 0.8, 0.0, 0.9])
    optimizer = torch.optim.LBFGS(crater.parameters(), max_iter=1)
    loss = (crater() - depths).square().sum()
    optimizer.zero_grad()
    loss.backward()
    return {"crater.energy": crater.energy.grad, "crater.rock": crater.rock.grad}


def broken():
    return survey(Crater)


def fixed():
    return survey(GuardedCrater)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
