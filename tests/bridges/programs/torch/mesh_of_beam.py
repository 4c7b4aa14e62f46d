"""A beam whose supports may be moved: the grid of points runs between both of them."""
import sys

import torch
from torch import nn


class Beam(nn.Module):
    def __init__(self, points=7):
        super().__init__()
        self.left = nn.Parameter(torch.tensor(0.1))
        self.right = nn.Parameter(torch.tensor(2.0))
        self.stiffness = nn.Parameter(torch.tensor(1.5))
        self.points = points

    def grid(self):
        return torch.linspace(float(self.left), float(self.right), self.points)  #!

    def forward(self, load):
        x = self.grid()
        span = x[-1] - x[0]
        shape = torch.sin(torch.pi * (x - x[0]) / span)
        return load * span**3 / self.stiffness * shape


class MovedBeam(Beam):
    def grid(self):
        return self.left + (self.right - self.left) * torch.linspace(0, 1, self.points)


def fit(kind):
    beam = kind()
    optimizer = torch.optim.LBFGS(beam.parameters(), lr=0.1, max_iter=3)
    seen = torch.tensor([0.0, 1.1, 2.0, 2.4, 2.1, 1.2, 0.1])

    def closure():
        optimizer.zero_grad()
        loss = (beam(0.8) - seen).square().sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return {"beam.left": beam.left.grad, "beam.right": beam.right.grad, "beam.stiffness": beam.stiffness.grad}


def broken():
    return fit(Beam)


def fixed():
    return fit(MovedBeam)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
