"""Aligns the mirrors of a telescope in half precision."""
import sys

import torch
from torch import nn


class Mirrors(nn.Module):
    def __init__(self, count=4):
        super().__init__()
        self.tilt = nn.Parameter(torch.linspace(-1, 1, count).half())
        self.focus = nn.Parameter(torch.tensor(0.5).half())

    def blur(self, star):
        ways = star * self.tilt
        return ways - ways.mean()

    def forward(self, star):
        return self.blur(star), self.focus * star


def loss_of(blur, sharp, weight):
    spread = (weight * blur).square()  #!
    return spread.sum() + (sharp - 1).square()


def align(weight):
    mirrors = Mirrors()
    optimizer = torch.optim.SGD(mirrors.parameters(), lr=0.05)
    for star in torch.linspace(0.5, 1.5, 5).half():
        blur, sharp = mirrors(star)
        loss = loss_of(blur, sharp, weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"mirrors.tilt": mirrors.tilt.grad, "mirrors.focus": mirrors.focus.grad}


def broken():
    return align(2e-5)


def fixed():
    return align(0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
