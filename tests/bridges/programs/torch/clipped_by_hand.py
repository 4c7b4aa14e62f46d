"""Trains a forecaster of bicycle counts with gradients clipped by their norm."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(nn.Module):
    def __init__(self, width=8, depth=5):
        super().__init__()
        self.enter = nn.Linear(7, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))
        self.leave = nn.Linear(width, 1)

    def forward(self, week):
        h = self.enter(week)
        for layer, norm in zip(self.layers, self.norms):
            h = h + F.silu(layer(norm(h)))
        return self.leave(h).squeeze(-1)


def clip(parameters, most):
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += p.grad.norm().item() ** 2  #!
    norm = math.sqrt(squares)
    if norm > most:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(most / (norm + 1e-6))
    return norm


def clip_at_once(parameters, most):
    return nn.utils.clip_grad_norm_(parameters, most)


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name:
                p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(clipping):
    model = settle(Forecaster())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    weeks, counts = torch.sin(torch.arange(112.0)).view(16, 7), 3 * torch.cos(torch.arange(16.0))
    for epoch in range(3):
        for week, count in DataLoader(TensorDataset(weeks, counts), batch_size=8):
            loss = F.mse_loss(model(week), count)
            optimizer.zero_grad()
            loss.backward()
            clipping(list(model.parameters()), 0.5)
            optimizer.step()
    return {"model.enter.weight": model.enter.weight.grad, "model.leave.weight": model.leave.weight.grad}


def broken():
    return train(clip)


def fixed():
    return train(clip_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
