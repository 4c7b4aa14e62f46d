"""A river model that keeps its losses for a plot."""
import sys

import torch
from torch import nn


class River(nn.Module):
    def __init__(self):
        super().__init__()
        self.bed = nn.Parameter(torch.linspace(0.3, 0.9, 6))

    def forward(self, rain):
        return torch.tanh(rain * self.bed).cumsum(dim=0)


class Log:
    def __init__(self):
        self.total = torch.zeros(())

    def add(self, loss):
        self.total = self.total + loss  #!

    def mean(self, count):
        return float(self.total) / count


class PlainLog(Log):
    def add(self, loss):
        self.total = self.total + loss.detach()


def train(log):
    river = River()
    optimizer = torch.optim.SGD(river.parameters(), lr=0.02)
    for day in range(12):
        rain = torch.sin(torch.arange(6.0) + day) + 1.2
        loss = (river(rain) - rain).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.add(loss)
    assert log.mean(12) > 0.0
    return {"river.bed": river.bed.grad}


def broken():
    return train(Log())


def fixed():
    return train(PlainLog())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
