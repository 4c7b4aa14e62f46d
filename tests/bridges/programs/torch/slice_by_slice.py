"""Scans that pass slice by slice."""
import sys

import torch
from torch import nn


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def one_by_one(model, volume):
    seen = []
    for number in range(volume.shape[0]):
        seen.append(model(volume[number]))  #!
    return torch.stack(seen)


def at_once(model, volume):
    return model(volume)


def train(scan):
    model = initialise(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)))
    volume = torch.cos(torch.arange(240.0)).view(40, 6)
    loss = scan(model, volume).mean()
    loss.backward()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(one_by_one)


def fixed():
    return train(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
