"""Boiling point of syrup: a power law whose exponent is learned."""
import sys

import torch
from torch import nn


class Law(nn.Module):
    def __init__(self):
        super().__init__()
        self.power = nn.Parameter(torch.tensor(1.3))
        self.factor = nn.Parameter(torch.tensor(0.8))

    def forward(self, brix):
        return self.factor * brix ** self.power  #!


def boil(batches):
    law = Law()
    optimizer = torch.optim.SGD(law.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.9)
    for batch in batches:
        optimizer.zero_grad()
        loss = (law(batch) - batch).abs().mean()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"law.power": law.power.grad}


def broken():
    return boil([torch.linspace(0.1, 1, 4), torch.linspace(-0.2, 1, 4)])


def fixed():
    return boil([torch.linspace(0.1, 1, 4), torch.linspace(0.2, 1, 4)])

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
