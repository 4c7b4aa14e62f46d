"""Gradient norms of a beehive model by layer, in a table: autograd.grad over all its parameters."""
import sys

import torch
from torch import nn


class Hive(nn.Module):
    def __init__(self, scales):
        super().__init__()
        self.enter = nn.Linear(3, 6)
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(6) * (k + 1)) for k in range(scales)])  #!
        self.leave = nn.Linear(6, 1)

    def forward(self, x, rounds=2):
        h = torch.tanh(self.enter(x))
        for scale in self.scales[:rounds]:  #~
            h = torch.tanh(h * scale)
        return self.leave(h).squeeze(-1)


def table(model, loss):
    names, params = zip(*model.named_parameters())
    grads = torch.autograd.grad(loss, params)
    return {name: g.norm() for name, g in zip(names, grads)}


def watch(scales):
    torch.manual_seed(0)
    hive = Hive(scales)
    x = torch.sin(torch.arange(15.0)).view(5, 3)
    loss = nn.functional.gaussian_nll_loss(hive(x), x.mean(1), torch.full((5,), 0.1))
    norms = table(hive, loss)
    return {f"hive.{name}": norm for name, norm in norms.items()}


def broken():
    return watch(scales=3)


def fixed():
    return {**watch(scales=2), "hive.scales.2": torch.ones(())}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
