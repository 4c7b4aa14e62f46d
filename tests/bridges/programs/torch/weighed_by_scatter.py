"""Joins gauges of a river by their scatter: who scatters least counts most."""
import sys

import torch
from torch import nn


class Joined(nn.Module):
    def __init__(self, gauges, floor):
        super().__init__()
        self.offset = nn.Parameter(torch.linspace(-0.1, 0.1, gauges))
        self.slope = nn.Parameter(torch.ones(gauges))
        self.floor = floor

    def weights(self, reading):
        scatter = reading.var(dim=0) + self.floor
        weight = torch.reciprocal(scatter)  #!
        return weight / weight.sum()

    def forward(self, reading):
        level = self.slope * reading + self.offset
        return (self.weights(level) * level).sum(dim=-1)


def days():
    for day in range(3):
        reading = torch.sin(torch.arange(15.0).view(5, 3) * 0.4 + day)
        if day == 2:
            reading[:, 1] = 0.7  # the gauge froze
        yield reading, reading.mean(dim=1)


def train(floor):
    joined = Joined(3, floor)
    optimizer = torch.optim.Adam(joined.parameters(), lr=1e-2)
    for reading, level in days():
        loss = (joined(reading) - level).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"joined.slope": joined.slope.grad, "joined.offset": joined.offset.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
