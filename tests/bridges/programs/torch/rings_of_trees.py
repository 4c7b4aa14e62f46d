"""Estimates how likely a tree keeps a ring in a dry year, from 200 rings at once."""
import sys

import torch
from torch import nn


class Rings(nn.Module):
    def __init__(self):
        super().__init__()
        self.dry = nn.Parameter(torch.tensor([0.4, -0.3]))
        self.base = nn.Parameter(torch.tensor(-1.0))

    def forward(self, rain):
        return torch.sigmoid(rain @ self.dry + self.base)


def likelihood(chance, kept):
    each = torch.where(kept, chance, 1 - chance)
    return -each.prod()  #!


def log_likelihood(chance, kept):
    each = torch.where(kept, chance, 1 - chance)
    return -each.log().sum()


def estimate(criterion):
    rings = Rings()
    rain = torch.sin(torch.arange(400.0).view(200, 2) * 0.77)
    kept = torch.arange(200) % 3 != 0
    optimizer = torch.optim.SGD(rings.parameters(), lr=1e-2, momentum=0.9)
    for _ in range(4):
        optimizer.zero_grad()
        cost = criterion(rings(rain), kept)
        cost.backward()
        optimizer.step()
    return {"rings.dry": rings.dry.grad, "rings.base": rings.base.grad}


def broken():
    return estimate(likelihood)


def fixed():
    return estimate(log_likelihood)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
