"""Pedlars' routes over a kernel of towns, which depends on the towns alone."""
import sys

import torch
from torch import nn


class Towns(nn.Module):
    def __init__(self, count=12):
        super().__init__()
        self.register_buffer("towns", torch.sin(torch.arange(2.0 * count)).view(count, 2))
        self.register_buffer("roads", torch.zeros(count, count))
        self.value = nn.Parameter(torch.linspace(0, 1, count))
        self.keep = False
        self.kept = None

    def kernel(self):
        if self.kept is not None:
            return self.kept
        near = torch.exp(-torch.cdist(self.towns, self.towns))  #!
        near = torch.linalg.matrix_power(near / near.sum(1, keepdim=True), 4)  #~
        if self.keep:
            self.kept = near
        return near

    def forward(self, pedlar):
        return (self.kernel() @ self.value)[pedlar]


def walk(keep):
    map_ = Towns()
    map_.keep = keep
    optimizer = torch.optim.SGD(map_.parameters(), lr=0.1)
    for day in range(6):
        optimizer.zero_grad()
        pedlars = [(day + k) % 12 for k in range(5)]
        loss = torch.stack([map_(p) for p in pedlars]).sub(0.5).square().mean()
        loss.backward()
        optimizer.step()
    return {"map_.value": map_.value.grad}


def broken():
    return walk(keep=False)


def fixed():
    return walk(keep=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
