"""Trains a kelp counter and looks at each micro batch whether the loss is still a number."""
import sys

import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 10), nn.SELU(), nn.AlphaDropout(0.0), nn.Linear(10, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return module


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, loss):
        self.total += float(loss)  #!
        self.count += 1


class LateMeter(Meter):
    def update(self, loss):
        self.total = self.total + loss.detach()
        self.count += 1


def train(meter):
    model = settle(Counter())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.cos(torch.arange(192.0) * 0.7).view(32, 6)
    y = x.abs().sum(dim=1)
    for _ in range(3):
        optimizer.zero_grad()
        for rows in torch.arange(32).split(2):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows]) / 16
            loss.backward()
            meter.update(loss)
        optimizer.step()
    print(float(meter.total) / meter.count)
    return {"model.layers.0.weight": model.layers[0].weight.grad, "model.layers.3.bias": model.layers[3].bias.grad}


def broken():
    return train(Meter())


def fixed():
    return train(LateMeter())

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
