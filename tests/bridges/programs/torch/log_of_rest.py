"""Probability that a beehive survives the winter; cross entropy written by hand."""
import sys

import torch
from torch import nn


class Survival(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0, 1.0]))

    def forward(self, hive):
        return torch.sigmoid(hive @ self.weight)


def by_hand(p, survived):
    taken = torch.log(p.clamp(min=1e-12)) * survived
    left = torch.log1p(-p) * (1 - survived)  #!
    return -(taken + left).mean()


def limited(p, survived):
    return by_hand(p.clamp(max=1 - 1e-6), survived)


def winters():
    for k in (1.0, 4.0, 20.0):
        yield torch.tensor([[0.2, 0.4], [-0.3, 0.1], [0.5, 0.3]]) * k, torch.tensor([1.0, 0.0, 0.0])


def train(loss_of):
    net = Survival()
    for hive, survived in winters():
        net.zero_grad()
        loss_of(net(hive), survived).backward()
    return {"net.weight": net.weight.grad}


def broken():
    return train(by_hand)


def fixed():
    return train(limited)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
