"""Learns distances between shells from triplets; two pictures of one shell are equal."""
import sys

import torch
from torch import nn


class ShellNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 3)

    def forward(self, shell):
        return self.embed(shell)


class TripletLoss(nn.Module):
    def __init__(self, margin=0.5):
        super().__init__()
        self.margin = margin

    def distance(self, a, b):
        return (a - b).square().sum(dim=1).sqrt()  #!

    def forward(self, anchor, same, other):
        return torch.relu(self.distance(anchor, same) - self.distance(anchor, other) + self.margin).mean()


class SafeTripletLoss(TripletLoss):
    def distance(self, a, b):
        return ((a - b).square().sum(dim=1) + 1e-8).sqrt()


def initialise(model):
    with torch.no_grad():
        model.embed.weight.copy_(torch.linspace(-0.2, 0.3, 12).view(3, 4))
        model.embed.bias.zero_()
    return model


def train(criterion):
    model = initialise(ShellNet())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    shells = torch.sin(torch.arange(12.0)).view(3, 4)
    twins = shells.clone()
    twins[1] += 0.1
    others = shells.roll(1, 0)
    optimizer.zero_grad()
    loss = criterion(model(shells), model(twins), model(others))
    loss.backward()
    return {"model.embed.weight": model.embed.weight.grad}


def broken():
    return train(TripletLoss())


def fixed():
    return train(SafeTripletLoss())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
