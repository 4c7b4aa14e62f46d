"""Depth of a pond from sonar: a coarse map, refined where it is not smooth."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Refine(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels + 1, 1, 3, padding=1)

    def forward(self, features, depth):
        return depth + self.conv(torch.cat([features, depth], dim=1))


class DepthNet(nn.Module):
    def __init__(self, rough=10.0, channels=4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(2, channels, 3, padding=1), nn.GELU())
        self.coarse = nn.Conv2d(channels, 1, 1)
        self.refine = Refine(channels)
        self.rough = rough

    def is_rough(self, depth):
        steps = depth.diff(dim=-1).abs().amax(dim=(1, 2, 3))
        return bool((steps > self.rough).any())

    def forward(self, sonar):
        features = self.features(sonar)
        depth = F.softplus(self.coarse(features))
        if self.is_rough(depth):  #!
            depth = self.refine(features, depth)
        return depth


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(rough):
    model = settle(DepthNet(rough))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    sonar = torch.sin(torch.arange(4 * 2 * 36.0) * 0.5).view(4, 2, 6, 6)
    truth = 1 + torch.cos(torch.arange(4 * 36.0) * 0.1).view(4, 1, 6, 6)
    for epoch in range(3):
        loss = F.l1_loss(model(sonar), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.refine.conv.weight": model.refine.conv.weight.grad,
        "model.coarse.weight": model.coarse.weight.grad,
    }


def broken():
    return train(rough=10.0)


def fixed():
    return train(rough=0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
