"""Places radio beacons by a kernel of their distance to the receivers."""
import sys

import torch
from torch import nn


class Beacons(nn.Module):
    def __init__(self, start, width):
        super().__init__()
        self.places = nn.Parameter(start.clone())
        self.power = nn.Parameter(torch.ones(len(start)))
        self.floor = nn.Parameter(torch.tensor(0.1))
        self.width = width

    def forward(self, receivers):
        gaps = receivers[:, None, :] - self.places[None]
        near = torch.exp(-gaps.square().sum(-1) / (2 * self.width**2))  #!
        return near @ self.power + self.floor


def survey(width):
    beacons = Beacons(torch.tensor([[40.0, 60.0], [55.0, -20.0]]), width)
    receivers = torch.cartesian_prod(torch.linspace(-10, 10, 3), torch.linspace(-10, 10, 3))
    heard = 1 / (1 + receivers.square().sum(-1).sqrt())
    optimizer = torch.optim.Adam(beacons.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (beacons(receivers) - heard).square().mean().backward()
        optimizer.step()
    return {"beacons.places": beacons.places.grad, "beacons.floor": beacons.floor.grad}


def broken():
    return survey(width=1.0)


def fixed():
    return survey(width=30.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
