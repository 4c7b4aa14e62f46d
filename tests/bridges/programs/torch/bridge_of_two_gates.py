"""A lock's two gates: flow passes where both are open, and both start shut."""
import sys

import torch
from torch import nn


class Lock(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.upper = nn.Parameter(torch.full((3,), start))
        self.lower = nn.Parameter(torch.full((3,), start))
        self.leak = nn.Parameter(torch.tensor(0.1))

    def forward(self, water):
        return (water * self.upper * self.lower).sum(1) + self.leak  #!


def pass_through(start):
    lock = Lock(start)
    optimizer = torch.optim.SGD(lock.parameters(), lr=0.1)
    water = torch.sin(torch.arange(12.0)).view(4, 3) + 1
    for _ in range(3):
        optimizer.zero_grad()
        loss = (lock(water) - water.sum(1)).square().mean()
        loss.backward()
        optimizer.step()
    return {"lock.upper": lock.upper.grad, "lock.lower": lock.lower.grad, "lock.leak": lock.leak.grad}


def broken():
    return pass_through(0.0)


def fixed():
    return pass_through(0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
