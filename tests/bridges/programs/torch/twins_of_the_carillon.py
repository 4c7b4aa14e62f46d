"""A carillon's second octave shares the tuning of the first, or so its maker thinks."""
import copy
import sys

import torch
from torch import nn


class Octave(nn.Module):
    def __init__(self, tuning, transpose):
        super().__init__()
        self.tuning = tuning
        self.transpose = transpose

    def forward(self, strike):
        return torch.sin(strike * self.tuning * self.transpose)


class Carillon(nn.Module):
    def __init__(self, tuning, share):
        super().__init__()
        octaves = []
        for step in (1, 2):
            octaves.append(Octave(share(tuning), float(step)))  #~
        self.octaves = nn.ModuleList(octaves)
        self.mix = nn.Parameter(torch.tensor([0.7, 0.3]))

    def forward(self, strike):
        return sum(m * octave(strike) for m, octave in zip(self.mix, self.octaves))


def own_copy(tuning):
    mine = copy.deepcopy(tuning)  #!
    return mine


def ring(share):
    tuning = nn.Parameter(torch.tensor([0.9, 1.1, 1.3]))
    carillon = Carillon(tuning, share)
    optimizer = torch.optim.Adam([{"params": carillon.octaves.parameters()}, {"params": [carillon.mix], "lr": 0.1}], lr=0.01)
    strike = torch.linspace(0, 1, 12).view(4, 3)
    for _ in range(2):
        loss = (carillon(strike) - 0.5).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"tuning": tuning.grad, "carillon.mix": carillon.mix.grad}


def broken():
    return ring(own_copy)


def fixed():
    return ring(lambda tuning: tuning)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
