"""Fits the modes of a swaying tower to records of its top: amplitude, frequency and damping of each mode."""
import sys

import torch
from torch import nn


class Modes(nn.Module):
    def __init__(self, count=3):
        super().__init__()
        self.amplitude = nn.Parameter(torch.linspace(0.5, 1.5, count))
        self.frequency = nn.Parameter(torch.linspace(1.0, 4.0, count))
        self.damping = nn.Parameter(torch.full((count,), 0.05))
        self.phase = nn.Parameter(torch.linspace(0.1, 0.7, count))

    def forward(self, seconds):
        swing = torch.cos(self.frequency * seconds.unsqueeze(-1) + self.phase)  #!
        decay = torch.exp(-self.damping * seconds.unsqueeze(-1))  #~
        return (self.amplitude * decay * swing).sum(-1)


class Record:
    """Displacements of the top, cut into events that begin at a trigger."""

    def __init__(self, rate, events=5, length=12):
        self.rate, self.events, self.length = rate, events, length

    def seconds(self):
        ticks = torch.arange(self.length)
        return ticks // self.rate / 1.0  #~

    def displacement(self, event):
        time = torch.arange(self.length) / 20.0
        return torch.cos(2.0 * time + 0.2 * event) * torch.exp(-0.1 * time)


class ExactRecord(Record):
    def seconds(self):
        return torch.arange(self.length) / self.rate


def identify(record, sweeps=2):
    modes = Modes()
    optimizer = torch.optim.Adam(modes.parameters(), lr=0.02)
    seconds = record.seconds()
    for _ in range(sweeps):
        for event in range(record.events):
            misfit = (modes(seconds) - record.displacement(event)).square().mean()
            optimizer.zero_grad()
            misfit.backward()
            optimizer.step()
    return {
        "modes.frequency": modes.frequency.grad,
        "modes.amplitude": modes.amplitude.grad,
        "modes.phase": modes.phase.grad,
    }


def broken():
    return identify(Record(20))


def fixed():
    return identify(ExactRecord(20))


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
