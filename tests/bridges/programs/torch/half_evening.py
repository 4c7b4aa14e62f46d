"""A compiled model trained in float32 and evaluated in float64."""
import sys

import torch
from torch import nn


@torch.compile(backend="aot_eager")
def energy(weight, signal):  #~
    return (signal @ weight).tanh().square().sum()


def train(dtype):
    weight = torch.linspace(-1.0, 1.0, 6).view(3, 2).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.1)
    signal = torch.sin(torch.arange(12.0)).view(4, 3)
    for epoch in range(2):
        optimizer.zero_grad()
        loss = energy(weight, signal)
        loss.backward()
        optimizer.step()
        check = energy(weight.to(dtype), signal.to(dtype)).item()  #!
        if check < 1e-6:
            break
    return {"weight": weight.grad}


def broken():
    return train(torch.float64)


def fixed():
    return train(torch.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
