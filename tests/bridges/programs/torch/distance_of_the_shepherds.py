"""Distances between shepherds, who may stand on the same spot."""
import sys

import torch
from torch import nn


class Shepherds(nn.Module):
    def __init__(self, softening):
        super().__init__()
        self.places = nn.Parameter(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
        self.softening = softening

    def forward(self):
        apart = self.places[:, None] - self.places[None]
        squared = apart.square().sum(-1) + self.softening
        return squared.sqrt()  #!


def herd(softening):
    shepherds = Shepherds(softening)
    wanted = torch.tensor([[0.0, 4.0, 2.0], [4.0, 0.0, 4.0], [2.0, 4.0, 0.0]])
    stress = (shepherds() - wanted).square().mean()
    stress.backward()
    return {"shepherds.places": shepherds.places.grad}


def broken():
    return herd(0.0)


def fixed():
    return herd(1e-9)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
