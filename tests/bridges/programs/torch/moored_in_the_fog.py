"""Positions of moored boats; readings outside of the harbour are masked out."""
import sys

import torch
from torch import nn


class Mooring(nn.Module):
    def __init__(self):
        super().__init__()
        self.drift = nn.Linear(2, 2)

    def forward(self, wind):
        return self.drift(wind)


def inside(position, edge):
    return ((position - 50.0).abs() < edge).all(dim=1)


def moor(edge):
    torch.manual_seed(35)
    mooring = Mooring()
    wind = torch.sin(torch.arange(10.0)).view(5, 2)
    seen = torch.linspace(41, 59, 10).view(5, 2)
    error = (mooring(wind) + 50.0 - seen).square().sum(1)
    mask = inside(seen, edge).float()
    loss = (error * mask).sum() / mask.sum().clamp(min=1)  #!
    loss.backward()
    return {"mooring.drift.weight": mooring.drift.weight.grad}


def broken():
    return moor(edge=0.5)


def fixed():
    return moor(edge=20.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
