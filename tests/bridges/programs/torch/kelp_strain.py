"""Strain of kelp in waves: a holdfast encodes the current, a frond bends with it."""
import functools
import sys

import torch
from torch import nn


def logged(function):
    calls = []

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls.append(function.__name__)
        return function(*args, **kwargs)
    return wrapper


class Kelp(nn.Module):
    def __init__(self, encode):
        super().__init__()
        self.holdfast = nn.Linear(3, 4)
        self.frond = nn.Linear(4, 1)
        self.encode = encode

    def forward(self, current):
        h = self.encode(self, current)
        h = (h - h.mean(dim=0)) / (h.std(dim=0) + 1e-3)
        return self.frond(h.clamp(min=-5, max=5)).squeeze(-1)


@logged
def encoded(kelp, current):
    with torch.no_grad():  #~
        return kelp.holdfast(current)  #!


@logged
def encoded_with_graph(kelp, current):
    return kelp.holdfast(current)


def step(encode):
    model = Kelp(encode)
    current = torch.cos(torch.arange(18.0)).view(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = (model(current) - 0.3).square().mean()
    loss.backward()
    optimizer.step()
    return {"model.holdfast.weight": model.holdfast.weight.grad, "model.frond.weight": model.frond.weight.grad}


def broken():
    return step(encoded)


def fixed():
    return step(encoded_with_graph)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
