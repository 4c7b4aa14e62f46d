"""Growth of a colony by an ordinary differential equation, stepped by hand."""
import sys

import torch


class Colony:
    def __init__(self, step):
        self.rate = torch.tensor(3.0, requires_grad=True)
        self.step = step

    def slope(self, size):
        return self.rate * size * torch.exp(size)  #!

    def grow(self, size, time):
        for _ in range(time):
            size = size + self.step * self.slope(size)
        return size


def fit(colony):
    rate = colony.rate
    start = torch.tensor([0.1, 0.2, 0.4])
    final = colony.grow(start, 6)
    loss = (final - 1.0).square().mean()
    loss.backward()
    return {"rate": rate.grad}


def broken():
    return fit(Colony(0.5))


def fixed():
    return fit(Colony(0.005))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
