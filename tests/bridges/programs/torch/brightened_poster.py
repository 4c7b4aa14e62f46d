"""Paints a poster by gradient descent until a fixed network likes it."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3)

    def forward(self, picture):
        return self.conv2(F.elu(self.conv1(picture))).mean(dim=(1, 2, 3))


class Poster(nn.Module):
    def __init__(self, first, limit):
        super().__init__()
        self.paint = nn.Parameter(first)
        self.frame = nn.Parameter(torch.zeros(3))
        self.limit = limit

    def forward(self):
        return self.limit(self.paint) + torch.sigmoid(self.frame)[:, None, None]


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module.requires_grad_(False)


def hard(paint):
    return F.hardtanh(paint, 0.0, 1.0)  #!


def soft(paint):
    return torch.sigmoid((paint - 128) / 100)


def paint(limit):
    critic = settle(Critic())
    scan = 140 + 90 * torch.cos(torch.arange(3 * 64.0) * 0.3).view(1, 3, 8, 8)
    poster = Poster(scan, limit)
    optimizer = torch.optim.Adam(poster.parameters(), lr=0.5)
    for iteration in range(4):
        optimizer.zero_grad()
        loss = -critic(poster()).mean()
        loss.backward()
        optimizer.step()
    return {"poster.paint": poster.paint.grad, "poster.frame": poster.frame.grad}


def broken():
    return paint(hard)


def fixed():
    return paint(soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
