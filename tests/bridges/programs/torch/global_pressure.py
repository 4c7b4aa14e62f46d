"""Pressure in a pipeline: a compiled loss and settings in globals of the module."""
import sys

import torch

TIGHTNESS = 1.0
valves = torch.tensor([0.3, 0.6, 0.9], requires_grad=True)


@torch.compile(backend="aot_eager")
def leakage(flow):
    open_ = torch.sigmoid(TIGHTNESS * valves)
    return ((flow * open_).sum() - 1.0) ** 2


def tighten(factor):
    global TIGHTNESS
    TIGHTNESS = TIGHTNESS * factor


def shift(factor):
    global TIGHTNESS
    TIGHTNESS = 1.0
    valves.grad = None
    for hour in range(3):
        loss = leakage(torch.linspace(0.1, 1.0, 3) + hour)  #!
        loss.backward()
        with torch.no_grad():
            valves.sub_(0.01 * valves.grad)
        tighten(factor)
    return {"valves": valves.grad}


def broken():
    return shift(1.25)


def fixed():
    return shift(1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
