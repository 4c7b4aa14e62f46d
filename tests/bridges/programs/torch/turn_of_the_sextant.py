"""Bearings of a sextant: unit vectors are turned until they agree with the almanac."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Turn(nn.Module):
    def __init__(self):
        super().__init__()
        self.axis = nn.Parameter(torch.zeros(3))

    def forward(self, vectors):
        return F.normalize(vectors + torch.cross(self.axis.expand_as(vectors), vectors, dim=1), dim=1)


def angle(a, b):
    cosine = (a * b).sum(dim=1)
    return torch.acos(cosine)  #!


def guarded_angle(a, b):
    cosine = (a * b).sum(dim=1)
    return torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6))


def align(measure):
    sextant = Turn()
    stars = torch.eye(3)[[0, 1, 2, 0]]
    almanac = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.0, -0.6, 0.8], [0.96, 0.28, 0.0]])
    optimizer = torch.optim.SGD(sextant.parameters(), lr=0.1)
    optimizer.zero_grad()
    loss = measure(sextant(stars), almanac).mean()
    loss.backward()
    optimizer.step()
    return {"sextant.axis": sextant.axis.grad}


def broken():
    return align(angle)


def fixed():
    return align(guarded_angle)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
