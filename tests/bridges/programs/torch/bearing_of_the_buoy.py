"""The heading of a buoy, fitted to where its sensors say that the beacons are."""
import math
import sys

import torch
from torch import nn


def turn_by_hand(heading):
    c, s = math.cos(heading), math.sin(heading)  #!
    return torch.tensor([[c, -s], [s, c]])  #~


def turn(heading):
    c, s = torch.cos(heading), torch.sin(heading)
    return torch.stack([torch.stack([c, -s]), torch.stack([s, c])])


class Buoy(nn.Module):
    def __init__(self, rotation):
        super().__init__()
        self.heading = nn.Parameter(torch.tensor(0.3))
        self.drift = nn.Parameter(torch.zeros(2))
        self.rotation = rotation

    def forward(self, beacons):
        return beacons @ self.rotation(self.heading).t() + self.drift


def locate(rotation):
    buoy = Buoy(rotation)
    beacons = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-1.5, 0.5]])
    seen = torch.tensor([[0.9, 0.5], [-0.8, 1.7], [-1.4, -0.2]])
    optimizer = torch.optim.LBFGS(buoy.parameters(), max_iter=1)

    def closure():
        optimizer.zero_grad()
        loss = (buoy(beacons) - seen).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {"buoy.heading": buoy.heading.grad, "buoy.drift": buoy.drift.grad}


def broken():
    return locate(turn_by_hand)


def fixed():
    return locate(turn)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
