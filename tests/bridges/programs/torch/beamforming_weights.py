"""Weights of a microphone array; the compiled beam is steered to a talker who walks from seat to seat."""
import sys

import torch
from torch import nn


class Beam(nn.Module):
    def __init__(self, microphones=6, bands=4):
        super().__init__()
        self.weights = nn.Parameter(torch.ones(microphones, bands) / microphones)
        self.tilt = nn.Parameter(torch.zeros(bands))

    def forward(self, spectrum, seat):
        if seat == "head":
            shift = torch.linspace(0.0, 1.0, 6)
        elif seat == "left":
            shift = torch.linspace(1.0, 0.0, 6)
        else:
            shift = torch.full((6,), 0.5)
        steered = spectrum * (1 + shift.unsqueeze(1) * self.tilt)
        return (steered * self.weights).sum(0)


class SteeredBeam(Beam):
    def forward(self, spectrum, seat):
        return (spectrum * (1 + seat.unsqueeze(1) * self.tilt) * self.weights).sum(0)


SHIFTS = {"head": torch.linspace(0.0, 1.0, 6), "left": torch.linspace(1.0, 0.0, 6), "right": torch.full((6,), 0.5)}
MEETING = ["head", "head", "left", "right", "left", "head"]


def enhance(kind, describe):
    array = kind()
    optimizer = torch.optim.SGD(array.parameters(), lr=0.05)
    steer = torch.compile(array, backend="eager")
    for minute, seat in enumerate(MEETING):
        spectrum = torch.sin(torch.arange(24.0).reshape(6, 4) * (0.4 + 0.1 * minute))
        clean = spectrum[0] * 0.8
        loss = (steer(spectrum, describe(seat)) - clean).square().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"array.weights": array.weights.grad}


def broken():
    return enhance(Beam, lambda seat: seat)


def fixed():
    return enhance(SteeredBeam, SHIFTS.get)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
