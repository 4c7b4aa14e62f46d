"""Folds of paper: how far a crease opens, limited by the hinge."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Hinge(nn.Module):
    def __init__(self, stiffness):
        super().__init__()
        self.crease = nn.Parameter(torch.tensor([0.5, 0.8]))
        self.paper = nn.Parameter(torch.tensor(1.0))
        self.stiffness = stiffness

    def forward(self, moisture):
        opening = F.hardtanh(self.stiffness * self.crease * moisture[:, None])  #!
        return self.paper * opening.sum(dim=1)


def fold(stiffness):
    hinge = Hinge(stiffness)
    moisture = torch.linspace(1.0, 2.0, 5)
    loss = (hinge(moisture) - 0.7).square().mean()
    loss.backward()
    return {"hinge.crease": hinge.crease.grad, "hinge.paper": hinge.paper.grad}


def broken():
    return fold(stiffness=9.0)


def fixed():
    return fold(stiffness=0.4)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
