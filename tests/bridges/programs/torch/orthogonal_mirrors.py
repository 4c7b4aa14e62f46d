"""Alignment of telescope mirrors: rotations as parametrized matrices, whose exponential is dear."""
import sys
from contextlib import nullcontext

import torch
from torch import nn
from torch.nn.utils import parametrize


class Skew(nn.Module):
    def forward(self, x):
        upper = x.triu(1)
        return torch.linalg.matrix_exp(upper - upper.mT)


class Mirrors(nn.Module):
    def __init__(self, count=2, dim=3):
        super().__init__()
        self.turns = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(count))
        for turn in self.turns:
            parametrize.register_parametrization(turn, "weight", Skew())

    def forward(self, rays):
        for turn in self.turns:
            rays = turn(rays)  #!
        return rays


def align(steps, around_all, around_one):
    torch.manual_seed(5)
    mirrors = Mirrors()
    opt = torch.optim.SGD(mirrors.parameters(), lr=0.05)
    rays = torch.eye(3)
    wanted = rays.roll(1, 0)
    with around_all():
        for _ in range(steps):
            with around_one():
                error = (mirrors(rays) - wanted).square().sum()
                opt.zero_grad()
                error.backward()  #~
            opt.step()
    return {"mirrors.turns.0.parametrizations.weight.original": mirrors.turns[0].parametrizations.weight.original.grad}


def broken():
    return align(3, parametrize.cached, nullcontext)


def fixed():
    return align(3, nullcontext, parametrize.cached)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
