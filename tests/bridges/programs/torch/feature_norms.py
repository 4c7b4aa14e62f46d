"""Normalises features of postage data with a batch statistic that a constant column breaks."""
import sys

import torch
from torch import nn


class Standardise(nn.Module):
    def forward(self, x):
        centred = x - x.mean(dim=0)
        return centred / (self.spread(x) + 1e-5)

    def spread(self, x):
        return (x - x.mean(dim=0)).square().mean(dim=0) ** 0.5  #!


class SafeStandardise(Standardise):
    def spread(self, x):
        return ((x - x.mean(dim=0)).square().mean(dim=0) + 1e-6) ** 0.5


class PostNet(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.norm = norm
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(self.norm(torch.relu(self.first(x)))).squeeze(1)


def initialise(model):
    with torch.no_grad():
        model.first.weight.copy_(torch.tensor([[0.5, 0.2, 0.1], [0.0, 0.0, 0.0], [0.3, 0.4, 0.2]]))
        model.first.bias.fill_(0.2)
        model.last.weight.fill_(0.4)
        model.last.bias.zero_()
    return model


def train(norm):
    model = initialise(PostNet(norm))
    parcels = torch.linspace(0.1, 1.5, 12).view(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = (model(parcels) - parcels[:, 0]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    return {"model.first.weight": model.first.weight.grad, "model.last.weight": model.last.weight.grad}


def broken():
    return train(Standardise())


def fixed():
    return train(SafeStandardise())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
