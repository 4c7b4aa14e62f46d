"""Leaks of cisterns: a depth is predicted, and the embedding of its bin decides."""
import sys

import torch
from torch import nn


class CisternNet(nn.Module):
    def __init__(self, bins=8):
        super().__init__()
        self.bins = bins
        self.depth = nn.Linear(4, 1)
        self.bin = nn.Embedding(bins, 6)
        self.leak = nn.Linear(6, 1)

    def place(self, depth):
        index = (depth * self.bins).long().clamp(0, self.bins - 1)  #!
        return self.bin(index)

    def forward(self, readings):
        depth = torch.sigmoid(self.depth(readings)).squeeze(1)
        return self.leak(self.place(depth)).squeeze(1)


class SoftCisternNet(CisternNet):
    def place(self, depth):
        centres = (torch.arange(self.bins) + 0.5) / self.bins
        share = torch.softmax(-((depth[:, None] - centres) * self.bins) ** 2, dim=1)
        return share @ self.bin.weight


def descend(kind):
    torch.manual_seed(11)
    net = kind()
    readings = torch.sin(torch.arange(40.0) * 0.37).view(10, 4)
    leaking = (torch.arange(10) % 2).float()
    loss_of = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for _ in range(2):
        optimizer.zero_grad()
        loss_of(net(readings), leaking).backward()
        optimizer.step()
    return {"net.depth.weight": net.depth.weight.grad, "net.leak.weight": net.leak.weight.grad}


def broken():
    return descend(CisternNet)


def fixed():
    return descend(SoftCisternNet)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
