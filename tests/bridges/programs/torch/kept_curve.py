"""Trains a tide gauge model and keeps the curve of losses for a plot."""
import sys

import torch
from torch import nn


class Progress:
    def __init__(self, plain):
        self.plain, self.curve, self.best = plain, [], None

    def note(self, loss):
        if self.plain:
            loss = loss.item()
        self.curve.append(loss)  #!
        self.best = loss if self.best is None else min(self.best, loss)

    def smooth(self, window=3):
        part = self.curve[-window:]
        return sum(part) / len(part)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(plain):
    model = settle(nn.Sequential(nn.Linear(3, 6), nn.ELU(), nn.Linear(6, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    progress = Progress(plain)
    moon = torch.sin(torch.arange(30.0) * 0.2).view(10, 3)
    for tide in range(8):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(moon).squeeze(1), moon.prod(dim=1))
        loss.backward()
        optimizer.step()
        progress.note(loss)
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
