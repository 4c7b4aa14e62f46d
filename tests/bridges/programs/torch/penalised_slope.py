"""Keeps a tariff curve smooth by a penalty on its slope."""
import sys

import torch
from torch import nn


class Tariff(nn.Module):
    def __init__(self):
        super().__init__()
        self.shape = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, load):
        return self.shape(load)


def slope(model, load, second):
    load = load.clone().requires_grad_(True)
    price = model(load)
    return torch.autograd.grad(price.sum(), load, create_graph=second)[0]  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(second):
    model = settle(Tariff())
    scale = nn.Parameter(torch.ones(()))
    optimizer = torch.optim.Adam([*model.parameters(), scale], lr=1e-2)
    load = torch.linspace(0, 1, 9).view(9, 1)
    for _ in range(2):
        optimizer.zero_grad()
        steep = (scale * slope(model, load, second)).square().mean()
        steep.backward()
        optimizer.step()
    return {"model.shape.0.weight": model.shape[0].weight.grad, "scale": scale.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
