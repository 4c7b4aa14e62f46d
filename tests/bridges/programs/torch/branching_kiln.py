"""Temperature control of a kiln, compiled; a fuse goes by the hottest plate."""
import sys

import torch
from torch import nn


class Kiln(nn.Module):
    def __init__(self, plates=4):
        super().__init__()
        self.gains = nn.Parameter(torch.linspace(0.5, 1.0, plates))
        self.cool = nn.Parameter(torch.tensor(0.3))

    def fuse(self, heat):
        if heat.max() > 2.0:  #!
            return heat - self.cool * (heat - 2.0).clamp(min=0)
        return heat + 0 * self.cool

    def forward(self, power):
        heat = torch.nn.functional.softplus(power * self.gains)
        return self.fuse(heat).sum()  #~


class SmoothKiln(Kiln):
    def fuse(self, heat):
        return heat - self.cool * (heat - 2.0).clamp(min=0)


def fire(kind):
    kiln = kind()
    step = torch.compile(kiln, backend="eager")
    optimizer = torch.optim.Adam(kiln.parameters(), lr=0.01)
    for minute in range(3):
        optimizer.zero_grad()
        (step(torch.tensor([3.0, 2.5, 2.0, 1.0]) + minute) - 8).square().backward()
        optimizer.step()
    return {"kiln.gains": kiln.gains.grad, "kiln.cool": kiln.cool.grad}


def broken():
    return fire(Kiln)


def fixed():
    return fire(SmoothKiln)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
