"""Flight height of gulls from wind; a mobile block with a skip."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Height(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.trunk = nn.Linear(3, 6)
        self.skip = nn.Linear(3, 6)
        self.out = nn.Linear(6, 1)
        nn.init.constant_(self.trunk.bias, bias)

    def forward(self, wind):
        h = F.hardswish(self.trunk(wind))  #!
        return self.out(h + self.skip(wind)).squeeze(1)


def train(bias):
    torch.manual_seed(22)
    net = Height(bias)
    wind = torch.sin(torch.arange(18.0)).view(6, 3)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        (net(wind) - wind.sum(1)).abs().mean().backward()
        optimizer.step()
    return {
        "net.trunk.weight": net.trunk.weight.grad,
        "net.trunk.bias": net.trunk.bias.grad,
        "net.skip.weight": net.skip.weight.grad,
    }


def broken():
    return train(-6.0)


def fixed():
    return train(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
