"""Gated features of an orchard."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


class Orchard(nn.Module):
    def __init__(self, in_place):
        super().__init__()
        self.in_place = in_place
        self.gate = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        if self.in_place:
            gate.mul_(x.abs())  #!
        else:
            gate = gate * x.abs()
        return self.head(gate + x)


def train(in_place):
    model = initialise(Orchard(in_place))
    x = torch.cos(torch.arange(12.0)).view(3, 4)
    loss = F.cross_entropy(model(x), torch.tensor([0, 1, 0]))
    loss.backward()
    return {"model.gate.weight": model.gate.weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
