"""Segments salt marshes in aerial strips, with an auxiliary head on the middle features."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

PLANTS = 3


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


class MarshNet(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(2, width, 3, padding=1), nn.GELU())
        self.deep = nn.Sequential(nn.Conv1d(width, width, 3, padding=2, dilation=2), nn.GELU())
        self.classify = nn.Conv1d(width, PLANTS, 1)
        self.auxiliary = nn.Conv1d(width, PLANTS, 1)

    def forward(self, strip):
        middle = self.stem(strip)
        return self.classify(self.deep(middle)), self.auxiliary(middle)


def assign(loss, extra):
    loss =+ 0.3 * extra  #!
    return loss


def add(loss, extra):
    loss += 0.3 * extra
    return loss


def train(combine, epochs=2):
    net = settle(MarshNet())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    strips = torch.cos(torch.arange(3 * 2 * 8) * 0.3).view(3, 2, 8)
    plants = (torch.arange(24) % PLANTS).view(3, 8)
    for _ in range(epochs):
        optimizer.zero_grad()
        scores, early = net(strips)
        loss = F.cross_entropy(scores, plants)  #~
        loss = combine(loss, F.cross_entropy(early, plants))  #~
        loss.backward()  #~
        optimizer.step()
    return {"net.classify.weight": net.classify.weight.grad, "net.auxiliary.weight": net.auxiliary.weight.grad}


def broken():
    return train(assign)


def fixed():
    return train(add)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
