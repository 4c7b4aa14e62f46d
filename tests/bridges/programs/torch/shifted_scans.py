"""Aligns two scans of a manuscript: a shift in pixels and a gain are fitted."""
import sys

import torch
from torch import nn


class Aligned(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.shift = nn.Parameter(torch.tensor(1.5))
        self.gain = nn.Parameter(torch.tensor(0.8))
        self.register_buffer("columns", torch.arange(width))

    def forward(self, line):
        moved = self.columns + self.shift.type_as(self.columns)  #!
        return self.gain * line[moved.clamp(0, len(line) - 1)]


class Interpolated(Aligned):
    def forward(self, line):
        place = (self.columns + self.shift).clamp(0, len(line) - 1.001)
        left = place.floor().long()
        share = place - left
        return self.gain * ((1 - share) * line[left] + share * line[left + 1])


def fit(kind):
    line = torch.sin(torch.arange(16.0) * 0.5)
    other = torch.sin((torch.arange(16.0) + 2.0) * 0.5)
    model = kind(16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (model(line) - other).square().mean().backward()
        optimizer.step()
    return {"model.shift": model.shift.grad, "model.gain": model.gain.grad}


def broken():
    return fit(Aligned)


def fixed():
    return fit(Interpolated)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
