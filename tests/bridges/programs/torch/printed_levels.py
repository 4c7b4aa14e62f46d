"""A network that draws woodcuts: shades are cut to a few levels before they are compared with the print."""
import sys

import torch
from torch import nn


class Cutter(nn.Module):
    def __init__(self, levels=5):
        super().__init__()
        self.levels = levels
        self.deep = nn.Linear(3, 8)
        self.shade = nn.Linear(8, 1)

    def quantise(self, shade):
        return torch.trunc(shade * self.levels) / self.levels  #!

    def forward(self, place):
        return self.quantise(torch.sigmoid(self.shade(torch.sin(self.deep(place)))))


class DitheredCutter(Cutter):
    def quantise(self, shade):
        cut = torch.trunc(shade * self.levels) / self.levels
        return shade + (cut - shade).detach()


class Ink:
    """The press loses some ink at the edges; nothing of it is learned."""

    def __init__(self, size=5):
        ramp = torch.linspace(-1, 1, size)
        self.loss = 1 - 0.1 * (ramp[:, None].square() + ramp[None, :].square())

    def __call__(self, shades):
        return shades * self.loss.reshape(-1, 1)


def places(size=5):
    ramp = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(ramp, ramp, indexing="ij")
    return torch.stack([x, y, x * y], -1).view(-1, 3)


def carve(kind):
    torch.manual_seed(31)
    cutter, ink = kind(), Ink()
    optimizer = torch.optim.AdamW(cutter.parameters(), lr=1e-2)
    grid = places()
    print_ = (grid[:, :1].cos() > 0.8).float()
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(ink(cutter(grid)), print_)
        loss.backward()
        optimizer.step()
    return {"cutter.deep.weight": cutter.deep.weight.grad, "cutter.shade.bias": cutter.shade.bias.grad}


def broken():
    return carve(Cutter)


def fixed():
    return carve(DitheredCutter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
