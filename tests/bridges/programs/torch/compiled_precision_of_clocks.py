"""Clocks are regulated by a compiled loss; some readings are logged in double precision."""
import sys

import torch
from torch import nn


class Regulator(nn.Module):
    def __init__(self):
        super().__init__()
        self.gear = nn.Parameter(torch.tensor([0.9, 1.1]))

    def error(self, ticks):
        return (torch.cumsum(ticks * self.gear, 0) - ticks).square().mean()


def logged(day, dtype):
    return torch.sin(torch.arange(8, dtype=dtype) + day).view(4, 2)


def regulate(types):
    torch._dynamo.reset()
    regulator = Regulator()
    error = torch.compile(regulator.error, backend="eager")
    optimizer = torch.optim.SGD(regulator.parameters(), lr=0.01)
    for day, dtype in enumerate(types):
        optimizer.zero_grad()
        error(logged(day, dtype)).backward()  #!
        optimizer.step()
    return {"regulator.gear": regulator.gear.grad}


def broken():
    return regulate([torch.float32, torch.float64, torch.float32])


def fixed():
    return regulate([torch.float32, torch.float32, torch.float32])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
