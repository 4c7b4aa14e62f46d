"""A sluice gate: water levels behind a chain of locks, normalised in between."""
import sys

import torch
from torch import nn


class Lock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, width)
        self.open = nn.Parameter(torch.linspace(0.2, 0.9, width))

    def limit(self, level):
        level[:, 0] = 0.0  #!
        return level

    def forward(self, level):
        passed = torch.sigmoid(self.mix(level)) * self.open
        rate = passed.exp()
        mean = rate.mean(dim=1, keepdim=True)
        return self.limit(rate) / mean


class CopyingLock(Lock):
    def limit(self, level):
        return torch.cat([torch.zeros_like(level[:, :1]), level[:, 1:]], dim=1)


def initialise(model):
    with torch.no_grad():
        for lock in model:
            lock.mix.weight.copy_(torch.eye(4) * 0.5 + 0.1)
            lock.mix.bias.zero_()
    return model


def simulate(kind):
    model = initialise(nn.Sequential(kind(4), kind(4)))
    level = torch.linspace(0.1, 1.0, 12).view(3, 4)
    loss = (model(level) - 0.5).square().mean()
    loss.backward()
    return {"model.0.open": model[0].open.grad, "model.1.open": model[1].open.grad}


def broken():
    return simulate(Lock)


def fixed():
    return simulate(CopyingLock)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
