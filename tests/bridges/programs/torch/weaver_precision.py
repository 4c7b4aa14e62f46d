"""Scores patterns of a loom; some come from NumPy."""
import sys

import numpy as np
import torch


def patterns(as_float):
    first = torch.linspace(0.0, 1.0, 6)
    second = torch.from_numpy(np.linspace(0.0, 2.0, 6))
    return [first, second.float() if as_float else second, first.flip(0)]


@torch.compile(backend="eager")
def tension(pattern, thread):
    return (torch.sin(pattern * thread)).square().sum()


def score(as_float):
    thread = torch.tensor(0.8, requires_grad=True)
    for pattern in patterns(as_float):
        loss = tension(pattern, thread)  #!
        loss.backward()
    return {"thread": thread.grad}


def broken():
    return score(False)


def fixed():
    return score(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
