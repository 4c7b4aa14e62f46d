"""Places dialects in a Poincare disc; each pair of a word list is pulled together."""
import sys

import torch
from torch import nn


class Disc(nn.Module):
    def __init__(self, floor):
        super().__init__()
        self.places = nn.Embedding(6, 2)
        self.floor = floor

    def distance(self, a, b):
        apart = (a - b).square().sum(dim=-1)
        space = (1 - a.square().sum(dim=-1)) * (1 - b.square().sum(dim=-1))
        return torch.acosh(1 + 2 * apart / space + self.floor)  #!

    def forward(self, first, second):
        return self.distance(self.places(first), self.places(second))


def train(floor):
    disc = Disc(floor)
    with torch.no_grad():
        disc.places.weight.copy_(0.3 * torch.sin(torch.arange(12.0) * 1.7).view(6, 2))
    optimizer = torch.optim.SGD(disc.parameters(), lr=0.01)
    pairs = [(0, 1), (1, 2), (3, 3), (4, 5)]
    first, second = (torch.tensor(side) for side in zip(*pairs))
    for _ in range(2):
        optimizer.zero_grad()
        loss = disc(first, second).mean()
        loss.backward()
        optimizer.step()
    return {"disc.places.weight": disc.places.weight.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
