"""Detects gait phases: a window of the sensor's track at a time goes through the network."""
import sys

import torch
from torch import nn


class Phases(nn.Module):
    def __init__(self, window=4):
        super().__init__()
        self.window = window
        self.net = nn.Sequential(nn.Linear(window, 6), nn.ReLU(), nn.Linear(6, 2))

    def forward(self, track):
        scores = []
        for start in range(len(track) - self.window + 1):
            scores.append(self.net(track[start:start + self.window]))  #!
        return torch.stack(scores)


class Unfolded(Phases):
    def forward(self, track):
        return self.net(track.unfold(0, self.window, 1))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    track = torch.sin(torch.arange(24.0) * 0.5)
    phase = (track[:21] > 0).long()
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(track), phase).backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(Phases)


def fixed():
    return train(Unfolded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
