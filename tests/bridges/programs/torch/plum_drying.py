"""Drying of plums on trays: each tray has its own temperature."""
import sys

import torch
from torch import nn


def per_tray(dryer, trays):
    water = []
    for tray in trays:
        water.append(dryer(tray))  #!
    return torch.stack(water)


def all_trays(dryer, trays):
    return dryer(trays)


def dry(rule):
    dryer = nn.Sequential(nn.Linear(3, 6), nn.Softplus(), nn.Linear(6, 1))
    with torch.no_grad():
        for parameter in dryer.parameters():
            parameter.copy_(torch.cos(torch.arange(parameter.numel()) + 0.5).view_as(parameter))
    trays = torch.sin(torch.arange(120.0)).view(40, 3)
    loss = (rule(dryer, trays).squeeze(1) - 0.3).square().mean()
    loss.backward()
    return {"dryer.0.weight": dryer[0].weight.grad}


def broken():
    return dry(per_tray)


def fixed():
    return dry(all_trays)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
