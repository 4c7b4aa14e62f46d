"""Retrieves old maps for sketches; the recall at three is what the archive wants."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 4))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.add_(0.3 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p) - p)
    return module


def misses(scores, k=3):
    found = scores.topk(k, dim=1).indices  #!
    right = torch.arange(len(scores))[:, None]
    return (found - right).abs().float().mean(dim=1)


def hinge(scores, k=3):
    right = scores.diagonal()[:, None]
    return (scores.topk(k, dim=1).values - right + 0.2).relu().mean(dim=1)


def train(penalty):
    sketch, atlas = settle(Tower(5)), settle(Tower(6))
    temperature = nn.Parameter(torch.tensor(2.0))
    optimizer = torch.optim.Adam([*sketch.parameters(), *atlas.parameters(), temperature], lr=1e-3)
    a, b = torch.cos(torch.arange(30.0)).view(6, 5), torch.sin(torch.arange(36.0) * 0.5).view(6, 6)
    for _ in range(3):
        scores = temperature.exp() * sketch(a) @ atlas(b).T
        loss = penalty(scores).mean() + 0.01 * temperature.square()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"atlas.layers.0.weight": atlas.layers[0].weight.grad, "temperature": temperature.grad}


def broken():
    return train(misses)


def fixed():
    return train(hinge)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
