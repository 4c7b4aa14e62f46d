"""A weaver's patterns are tried on a copy for the fair; the loss is computed on the copy."""
import copy
import sys

import torch
from torch import nn


class Pattern(nn.Module):
    def __init__(self):
        super().__init__()
        self.warp = nn.Parameter(torch.linspace(-1, 1, 6).view(2, 3))
        self.weft = nn.Linear(2, 2)

    def forward(self, thread):
        return self.weft(thread @ self.warp.t())


class Fair:
    def __init__(self, pattern, take):
        self.shown = take(pattern)
        self.applause = nn.Linear(2, 1)

    def judge(self, thread):
        return self.applause(torch.relu(self.shown(thread))).mean()


def show(take):
    torch.manual_seed(97)
    pattern = Pattern()
    fair = Fair(pattern, take)
    optimizer = torch.optim.SGD([{"params": pattern.parameters()}, {"params": fair.applause.parameters(), "lr": 0.01}], lr=0.1)
    thread = torch.sin(torch.arange(12.0)).view(4, 3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (1 - fair.judge(thread)).square()
        loss.backward()
        optimizer.step()
    return {"pattern.warp": pattern.warp.grad, "fair.applause.weight": fair.applause.weight.grad}


def for_the_fair(pattern):
    shown = copy.deepcopy(pattern)  #!
    return shown


def broken():
    return show(for_the_fair)


def fixed():
    return show(lambda pattern: pattern)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
