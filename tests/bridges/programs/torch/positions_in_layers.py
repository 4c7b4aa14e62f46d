"""Mixes the notes of a lullaby; each layer adds where a note stands."""
import sys

import torch
from torch import nn


def places(count, width):
    angle = torch.arange(count).unsqueeze(1) / 10.0 ** (torch.arange(width) / width)
    return torch.sin(angle)  #!


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, width)

    def forward(self, notes, where=None):
        where = places(notes.shape[1], notes.shape[2]) if where is None else where
        return notes + torch.tanh(self.mix(notes + where))


class Lullaby(nn.Module):
    def __init__(self, width=6, depth=6):
        super().__init__()
        self.layers = nn.ModuleList(Layer(width) for _ in range(depth))

    def forward(self, notes):
        for layer in self.layers:
            notes = layer(notes)
        return notes


class Shared(Lullaby):
    def forward(self, notes):
        where = places(notes.shape[1], notes.shape[2])
        for layer in self.layers:
            notes = layer(notes, where)
        return notes


def train(kind):
    torch.manual_seed(30)
    model = kind()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    notes = torch.cos(torch.arange(96.0) * 0.1).view(2, 8, 6)
    for _ in range(3):
        optimizer.zero_grad()
        model(notes).square().mean().backward()
        optimizer.step()
    return {"model.layers.0.mix.weight": model.layers[0].mix.weight.grad}


def broken():
    return train(Lullaby)


def fixed():
    return train(Shared)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
