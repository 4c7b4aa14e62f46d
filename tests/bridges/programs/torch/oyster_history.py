"""Trains an oyster-size model and reports the mean loss of the epoch."""
import sys

import torch
from torch import nn


class Meter:
    """Sums up the losses of an epoch."""

    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, loss):
        self.total = self.total + loss  #!
        self.count += 1

    def mean(self):
        return float(self.total) / self.count


class PlainMeter(Meter):
    def add(self, loss):
        self.total = self.total + loss.item()
        self.count += 1


def batches(count):
    for k in range(count):
        shell = torch.sin(torch.arange(12.0) + k).view(4, 3)
        yield shell, shell.abs().sum(1, keepdim=True)


def train(meter):
    oysters = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
    with torch.no_grad():
        for k, p in enumerate(oysters.parameters()):
            p.copy_(torch.cos(torch.arange(p.numel()) + k).view_as(p))
    optimizer = torch.optim.SGD(oysters.parameters(), lr=0.05)
    for shell, size in batches(10):
        optimizer.zero_grad()
        loss = (oysters(shell) - size).square().mean()
        loss.backward()
        optimizer.step()
        meter.add(loss)
    assert meter.mean() > 0
    return {"oysters.0.weight": oysters[0].weight.grad}


def broken():
    return train(Meter())


def fixed():
    return train(PlainMeter())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
