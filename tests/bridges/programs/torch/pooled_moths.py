"""Retrieves pictures of moths by generalized mean pooling, with a learned exponent."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class GeneralizedMean(nn.Module):
    def __init__(self, least, exponent=3.0):
        super().__init__()
        self.exponent = nn.Parameter(torch.tensor(exponent))
        self.least = least

    def forward(self, x):
        mean = x.clamp(min=self.least).pow(self.exponent).mean(dim=(2, 3))
        return mean.pow(1 / self.exponent)  #!


class MothNet(nn.Module):
    def __init__(self, least, channels=6, dim=4):
        super().__init__()
        self.conv = nn.Conv2d(1, channels, 3)
        self.pool = GeneralizedMean(least)
        self.project = nn.Linear(channels, dim)

    def forward(self, x):
        return F.normalize(self.project(self.pool(F.relu(self.conv(x)))), dim=1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim():
                p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
        module.conv.bias[2] = -4.0
    return module


def train(least):
    model = settle(MothNet(least))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    moths = torch.cos(torch.arange(6 * 36.0) * 0.3).view(6, 1, 6, 6)
    for epoch in range(2):
        vectors = model(moths)
        near, far = (vectors[0::2] * vectors[1::2]).sum(1), (vectors[0::2] * vectors[1::2].roll(1, 0)).sum(1)
        loss = F.relu(0.5 - near + far).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.conv.weight": model.conv.weight.grad, "model.pool.exponent": model.pool.exponent.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
