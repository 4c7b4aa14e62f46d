"""Finds brake curves of trains in a narrow valley of costs, by descent with momentum."""
import sys

import torch
from torch import nn


class Curve(nn.Module):
    def __init__(self):
        super().__init__()
        self.point = nn.Parameter(torch.tensor([-1.2, 1.0]))

    def cost(self):
        x, y = self.point
        return (1.0 - x) ** 2 + 100.0 * (y - x**2) ** 2  #!


def descend(rate, steps=40):
    curve = Curve()
    optimizer = torch.optim.SGD(curve.parameters(), lr=rate, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        cost = curve.cost()
        cost.backward()
        optimizer.step()
    return {"curve.point": curve.point.grad}


def broken():
    return descend(4e-3)


def fixed():
    return descend(2e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
