"""Prunes small weights while it trains."""
import sys

import torch
from torch import nn


class Wires(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.second = nn.Linear(6, 2)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


def prune(layer, limit=0.1):
    layer.weight *= (layer.weight.abs() > limit).float()  #!


def prune_quietly(layer, limit=0.1):
    with torch.no_grad():
        layer.weight *= (layer.weight.abs() > limit).float()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(cut):
    model = settle(Wires())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    x = torch.sin(torch.arange(20.0)).view(5, 4)
    labels = torch.tensor([0, 1, 0, 1, 1])
    for step in range(3):
        cut(model.first)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"model.first.weight": model.first.weight.grad}


def broken():
    return train(prune)


def fixed():
    return train(prune_quietly)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
