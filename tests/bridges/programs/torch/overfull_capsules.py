"""A mobile network for hop leaves: all of its bounded units start beyond their ceiling."""
import sys

import torch
from torch import nn


class Separable(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.deep = nn.Conv2d(inputs, inputs, 3, padding=1, groups=inputs)
        self.point = nn.Conv2d(inputs, outputs, 1)

    def forward(self, leaf):
        return nn.functional.relu6(self.point(self.deep(leaf)))  #!


class HopNet(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.block = Separable(2, 4)
        self.head = nn.Linear(4, 3)
        self.start(start)

    @torch.no_grad()
    def start(self, bias):
        for k, p in enumerate(self.parameters()):
            p.copy_(0.2 * torch.sin(torch.arange(float(p.numel())) * 1.2 + k).view_as(p))
        self.block.point.bias.fill_(bias)

    def forward(self, leaves):
        return self.head(self.block(leaves).mean((2, 3)))


class LeafFolder:
    def __init__(self, count=6):
        self.leaves = torch.cos(torch.arange(count * 50.0) * 0.11).view(count, 2, 5, 5)
        self.kinds = torch.arange(count) % 3

    def __iter__(self):
        for begin in range(0, len(self.leaves), 3):
            yield self.leaves[begin:begin + 3], self.kinds[begin:begin + 3]


def train(start):
    model = HopNet(start)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, weight_decay=1e-4)
    for leaves, kind in LeafFolder():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(leaves), kind).backward()
        optimizer.step()
    return {
        "model.block.deep.weight": model.block.deep.weight.grad,
        "model.block.point.weight": model.block.point.weight.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    return train(12.0)


def fixed():
    return train(1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
