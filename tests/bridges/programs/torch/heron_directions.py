"""Herons told apart by their calls: a cosine classifier with one direction a species."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn


class CosineHead(nn.Module):
    def __init__(self, width, species):
        super().__init__()
        grid = torch.arange(species * width, dtype=torch.float32).view(species, width)
        self.directions = nn.Parameter(torch.sin(grid * 0.7))
        self.log_scale = nn.Parameter(torch.tensor(math.log(6.0)))
        self.register_buffer("usual_norm", torch.ones(()))

    def unit(self):
        return F.normalize(self.directions.data, dim=1)  #!

    def forward(self, calls):
        self.usual_norm = 0.9 * self.usual_norm + 0.1 * calls.norm(dim=1).mean().detach()
        return self.log_scale.exp() * F.normalize(calls, dim=1) @ self.unit().t()


class LearnedHead(CosineHead):
    def unit(self):
        return F.normalize(self.directions, dim=1)


class HeronNet(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.Tanh())
        self.head = head(8, 4)

    def forward(self, sound):
        return self.head(self.body(sound))


def recordings():
    k = torch.arange(72, dtype=torch.float32).view(12, 6)
    return torch.cos(k * 0.31), torch.arange(12) % 4


def train(head, epochs=3):
    torch.manual_seed(5)
    net = HeronNet(head)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    sound, species = recordings()
    for _ in range(epochs):
        optimizer.zero_grad()
        F.cross_entropy(net(sound), species, label_smoothing=0.1).backward()
        optimizer.step()
    return {"net.head.directions": net.head.directions.grad, "net.body.0.weight": net.body[0].weight.grad}


def broken():
    return train(CosineHead)


def fixed():
    return train(LearnedHead)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
