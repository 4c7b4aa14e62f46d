"""A classifier with weights of its own for each example."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def train(reduce):
    model = initialise(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)))
    trust = torch.linspace(0.5, 1.5, 5)
    x = torch.cos(torch.arange(20.0)).view(5, 4)
    losses = F.cross_entropy(model(x), torch.arange(5) % 3, reduction="none")
    loss = losses * trust  #!
    if reduce:
        loss = loss.mean()
    loss.backward()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
