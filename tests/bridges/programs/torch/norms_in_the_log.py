"""Trains a model of avalanches and writes the norm of each gradient to a log."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Log:
    def __init__(self):
        self.rows = []

    def write(self, step, numbers):
        self.rows.append((step, numbers))


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 6), nn.Linear(6, 1)])

    def forward(self, snow):
        for layer in self.layers[:-1]:
            snow = F.leaky_relu(layer(snow))
        return self.layers[-1](snow).squeeze(-1)


def norms_one_by_one(model):
    return {name: p.grad.norm().item() for name, p in model.named_parameters()}  #!


def norms_together(model):
    names, norms = zip(*((name, p.grad.norm()) for name, p in model.named_parameters()))
    return dict(zip(names, torch.stack(norms).tolist()))


def train(norms_of, steps=20):
    model, log = Slope(), Log()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        snow = torch.sin(torch.arange(32.0).view(8, 4) * 0.3 + step)
        loss = F.binary_cross_entropy_with_logits(model(snow), (snow.sum(dim=1) > 0).float())
        optimizer.zero_grad()
        loss.backward()
        log.write(step, norms_of(model))
        optimizer.step()
    return {"model.layers.0.weight": model.layers[0].weight.grad}


def broken():
    return train(norms_one_by_one)


def fixed():
    return train(norms_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
