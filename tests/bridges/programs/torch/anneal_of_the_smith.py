"""Hardness of blades, where noise is annealed by a count that the module keeps; compiled for speed."""
import sys

import torch
from torch import nn


class Smith(nn.Module):
    def __init__(self):
        super().__init__()
        self.hammer = nn.Linear(3, 3)
        self.heat = self.first_heat()

    def first_heat(self):
        return "red"

    def cool(self):
        self.heat = {"red": "orange", "orange": "yellow", "yellow": "white"}[self.heat]

    def strength(self):
        return {"red": 1.0, "orange": 0.5, "yellow": 0.25, "white": 0.125}[self.heat]

    def forward(self, blade):
        return torch.sin(self.hammer(blade)) * self.strength()


class TensorSmith(Smith):
    def first_heat(self):
        return torch.ones(())

    def cool(self):
        self.heat = self.heat / 2

    def strength(self):
        return self.heat


def forge(kind):
    torch._dynamo.reset()
    torch.manual_seed(47)
    smith = kind()
    strike = torch.compile(smith, backend="eager")
    blade = torch.linspace(0, 1, 12).view(4, 3)
    for _ in range(3):
        smith.zero_grad()
        loss = strike(blade).square().mean()  #!
        loss.backward()
        smith.cool()
    return {"smith.hammer.weight": smith.hammer.weight.grad}


def broken():
    return forge(Smith)


def fixed():
    return forge(TensorSmith)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
