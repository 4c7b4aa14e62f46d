"""Fits patterns of antennas that are turned by a fixed rotation."""
import sys

import torch
from torch import nn


class Antenna(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.pattern = nn.Parameter(0.1 * torch.cos(torch.arange(float(size))))
        generator = torch.sin(torch.arange(float(size * size)).view(size, size))
        self.register_buffer("generator", generator - generator.t())

    def forward(self, signal):
        turn = torch.matrix_exp(self.generator)  #!
        return (signal @ turn) * self.pattern


class TurnedOnce(Antenna):
    def __init__(self, size=6):
        super().__init__(size)
        self.register_buffer("turn", torch.matrix_exp(self.generator))

    def forward(self, signal):
        return (signal @ self.turn) * self.pattern


def train(kind, steps=6):
    antenna = kind()
    optimizer = torch.optim.Adam(antenna.parameters(), lr=1e-2)
    for step in range(steps):
        signal = torch.sin(torch.arange(24.0).view(4, 6) * 0.3 + step)
        loss = (antenna(signal) - signal.flip(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"antenna.pattern": antenna.pattern.grad}


def broken():
    return train(Antenna)


def fixed():
    return train(TurnedOnce)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
