"""Fits tides with the log-cosh loss, robust against bad readings of the gauge."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Tide(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def forward(self, hour):
        turn = hour * (2 * math.pi / 12.42)
        return self.lin(torch.stack([turn.sin(), turn.cos()], dim=1)).squeeze(1)


def log_cosh(error):
    return torch.log(torch.cosh(error)).mean()  #!


def stable(error):
    size = error.abs()
    return (size + F.softplus(-2 * size) - math.log(2)).mean()


def train(loss_of):
    torch.manual_seed(25)
    model = Tide()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    hour = torch.arange(24.0)
    level = torch.sin(hour * 0.5)
    level[17] = 140.0
    for rows in torch.arange(24).split(8):
        optimizer.zero_grad()
        loss_of(model(hour[rows]) - level[rows]).backward()
        optimizer.step()
    return {"model.lin.weight": model.lin.weight.grad}


def broken():
    return train(log_cosh)


def fixed():
    return train(stable)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
