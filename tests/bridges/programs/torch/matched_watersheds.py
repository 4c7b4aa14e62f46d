"""Adapts a model of runoff from one watershed to another by matching features (maximum mean discrepancy)."""
import sys

import torch
from torch import nn


class Runoff(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(3, 2)
        self.out = nn.Linear(2, 1)


def kernel(a, b, bandwidth):
    square = (a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1)
    return torch.exp(-square / (2 * bandwidth**2))  #!


def discrepancy(source, target, bandwidth):
    return kernel(source, target, bandwidth).mean().neg()


def rainfalls(basin):
    millimetres = torch.arange(18.0).view(6, 3) * 8 + 700 * basin
    return millimetres


def adapt(bandwidth, rounds=2):
    model = Runoff()
    with torch.no_grad():
        model.features.weight.copy_(torch.tensor([[1.0, 0.4, -0.3], [0.2, 0.9, 0.5]]))
    optimizer = torch.optim.SGD(model.features.parameters(), lr=1e-4)
    here, there = rainfalls(0), rainfalls(1)
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = discrepancy(model.features(here), model.features(there), bandwidth)
        loss.backward()
        optimizer.step()
    return {"model.features.weight": model.features.weight.grad}


def broken():
    return adapt(1.0)  #~


def fixed():
    return adapt(500.0)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
