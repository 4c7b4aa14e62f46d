"""Trains a deep model of river ice, and skips a step when a gradient is not finite."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Ice(nn.Module):
    def __init__(self, width=6, depth=8):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return self.out(x).squeeze(1)


def all_finite(parameters):
    for p in parameters:
        if not torch.isfinite(p.grad).all():  #!
            return False
    return True


def finite_at_once(parameters):
    norms = torch._foreach_norm([p.grad for p in parameters])
    return bool(torch.isfinite(torch.stack(norms).sum()))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(finite):
    model = settle(Ice())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    frost, thick = torch.cos(torch.arange(72.0) * 0.3).view(12, 6), torch.linspace(0, 1, 12)
    skipped = 0
    for epoch in range(4):
        for rows in torch.arange(12).split(6):
            optimizer.zero_grad()
            F.mse_loss(model(frost[rows]), thick[rows]).backward()
            if finite(list(model.parameters())):
                optimizer.step()
            else:
                skipped += 1
    return {"model.layers.0.weight": model.layers[0].weight.grad, "model.out.bias": model.out.bias.grad}


def broken():
    return train(all_finite)


def fixed():
    return train(finite_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
