"""Learns headings of boats from their tracks; a boat at anchor has the same place twice."""
import sys

import torch
from torch import nn


class TrackSmoother(nn.Module):
    def __init__(self, steps=6):
        super().__init__()
        self.kernel = nn.Parameter(torch.tensor([0.2, 0.6, 0.2]))
        self.turn = nn.Parameter(torch.tensor(0.1))
        self.steps = steps

    def forward(self, places):
        moved = places.transpose(1, 2)
        padded = nn.functional.pad(moved, (1, 1), mode="replicate")
        return nn.functional.conv1d(padded, self.kernel.view(1, 1, 3).expand(2, 1, 3), groups=2).transpose(1, 2)

    def headings(self, places):
        moves = self(places).diff(dim=1)
        return self.angle(moves[..., 1], moves[..., 0]) + self.turn

    def angle(self, north, east):
        return torch.atan(north / east)  #!


class CalmSmoother(TrackSmoother):
    def angle(self, north, east):
        still = (north == 0) & (east == 0)
        return torch.atan2(north, torch.where(still, torch.ones_like(east), east))


def tracks():
    time = torch.arange(7.0)
    sailing = torch.stack([time, 0.5 * time + torch.sin(time)], 1)
    anchored = torch.zeros(7, 2)
    return torch.stack([sailing, anchored])


def compare(headings, compass):
    return (1 - torch.cos(headings - compass)).mean()


def sail(kind):
    smoother = kind()
    optimizer = torch.optim.SGD(smoother.parameters(), lr=0.01)
    compass = torch.full((2, 6), 0.3)
    for _ in range(2):
        optimizer.zero_grad()
        compare(smoother.headings(tracks()), compass).backward()
        optimizer.step()
    return {"smoother.kernel": smoother.kernel.grad}


def broken():
    return sail(TrackSmoother)


def fixed():
    return sail(CalmSmoother)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
