"""Predicts the quality of well water from standardized measurements."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Standard:
    def __init__(self, least):
        self.least = least

    def fit(self, table):
        self.mean, self.std = table.mean(dim=0), table.std(dim=0)
        return self

    def __call__(self, table):
        return (table - self.mean) / self.std.clamp(min=self.least)  #!


class Quality(nn.Module):
    def __init__(self, inputs=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 8), nn.Hardswish(), nn.Dropout(0.0), nn.Linear(8, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x)).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def measurements():
    k = torch.arange(16.0)
    depth, iron, lime = 10 + 5 * torch.sin(k), torch.cos(0.3 * k), torch.sin(1.7 * k)
    fluoride = torch.full((16,), 0.25)
    return torch.stack([depth, iron, fluoride, lime], dim=1), torch.sigmoid(iron - lime)


def train(least):
    model = settle(Quality())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    table, quality = measurements()
    inputs = Standard(least).fit(table)(table)
    for epoch in range(2):
        for x, y in DataLoader(TensorDataset(inputs, quality), batch_size=8):
            loss = F.mse_loss(model(x), y) + 1e-3 * sum(p.square().sum() for p in model.parameters())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad, "model.net.3.bias": model.net[3].bias.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
