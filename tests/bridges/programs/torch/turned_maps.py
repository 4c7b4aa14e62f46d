"""Filters square maps of relief, some of them turned by a quarter."""
import sys

import torch
from torch import nn


def relief(map, weight):
    return (torch.tanh(map @ weight) - map).square().mean()


def maps():
    return [torch.sin(torch.arange(16.0) + k).view(4, 4) for k in range(4)]


def turn(map):
    return map.t()


def turned_whole(map):
    return map.t().contiguous()


def train(turn):
    torch._dynamo.reset()
    torch.manual_seed(28)
    filter = nn.Linear(4, 4, bias=False)
    fast = torch.compile(relief, backend="eager")
    for k, map in enumerate(maps()):
        map = turn(map) if k >= 2 else map
        loss = fast(map, filter.weight)  #!
        loss.backward()
    return {"filter.weight": filter.weight.grad}


def broken():
    return train(turn)


def fixed():
    return train(turned_whole)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
