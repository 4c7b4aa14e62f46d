"""Bitterness of tea from the steps of its brewing; the readout starts at nothing, so that the first guess is the mean."""
import sys

import torch
from torch import nn


class BrewStep(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, state):
        return state + torch.nn.functional.silu(self.inner(self.norm(state)))


class Brew(nn.Module):
    def __init__(self, start, width=6, steps=2):
        super().__init__()
        self.leaf = nn.Linear(3, width)
        self.steps = nn.ModuleList(BrewStep(width) for _ in range(steps))
        self.taste = nn.Linear(width, 1)
        start(self.taste.weight)
        nn.init.zeros_(self.taste.bias)

    def forward(self, leaves):
        state = self.leaf(leaves)
        for step in self.steps:
            state = step(state)
        return self.taste(state).squeeze(1)  #!


def brew(start):
    torch.manual_seed(29)
    teapot = Brew(start)
    leaves = torch.sin(torch.arange(24.0)).view(8, 3)
    bitter = torch.linspace(-1, 1, 8)
    loss = nn.functional.mse_loss(teapot(leaves), bitter)
    loss.backward()
    return {"teapot.steps.0.inner.weight": teapot.steps[0].inner.weight.grad, "teapot.leaf.weight": teapot.leaf.weight.grad}


def broken():
    return brew(nn.init.zeros_)


def fixed():
    return brew(nn.init.xavier_uniform_)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
