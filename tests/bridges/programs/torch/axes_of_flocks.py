"""Main axes of flocks of geese from where each bird flies; they are to lie along the wind."""
import sys

import torch
from torch import nn


class Flock(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.spread = nn.Parameter(torch.tensor(spread))
        self.tilt = nn.Parameter(torch.tensor(0.0))

    def scatter(self):
        a, b = self.spread.exp().unbind()
        return torch.stack([torch.stack([a, self.tilt]), torch.stack([self.tilt, b])])

    def axis(self):
        size, axes = torch.linalg.eigh(self.scatter())  #!
        return axes[:, -1]


def misalignment(axis, wind):
    return 1 - (axis @ wind).square()


def run(spread):
    flock = Flock(spread)
    optimizer = torch.optim.ASGD(flock.parameters(), lr=0.05)
    wind = torch.tensor([0.8, 0.6])
    for _ in range(3):
        loss = misalignment(flock.axis(), wind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"flock.tilt": flock.tilt.grad}


def broken():
    return run([0.5, 0.5])


def fixed():
    return run([0.5, 0.1])

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
