"""Trains the head of a soil classifier; the optimizer holds the head alone."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Soil(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())  #~
        self.head = nn.Linear(8, 3)

    def features(self, sample):
        return self.trunk(sample)  #!

    def forward(self, sample):
        return self.head(self.features(sample))


class FrozenSoil(Soil):
    def __init__(self):
        super().__init__()
        self.trunk.requires_grad_(False)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 0.5 + k).view_as(p))
    return model


def train(kind):
    model = initialise(kind())
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    samples = torch.sin(torch.arange(24.0)).view(6, 4)
    kinds = torch.arange(6) % 3
    for _ in range(4):
        optimizer.zero_grad()
        F.cross_entropy(model(samples), kinds).backward()
        optimizer.step()
    return {"model.head.weight": model.head.weight.grad}


def broken():
    return train(Soil)


def fixed():
    return train(FrozenSoil)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
