"""Chooses sensors of a wheat field: gates should close where a sensor is not worth its cost."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Field(nn.Module):
    def __init__(self, sensors=6):
        super().__init__()
        self.gates = nn.Parameter(torch.linspace(-0.5, 0.9, sensors))
        self.net = nn.Linear(sensors, 1)

    def forward(self, readings):
        return self.net(readings.detach()).squeeze(1)

    def cost(self):
        return torch.count_nonzero(F.relu(self.gates))  #!


class SmoothField(Field):
    def cost(self):
        return torch.sigmoid(self.gates / 0.3).sum()


def train(kind, price=0.05):
    torch.manual_seed(2)
    model = kind()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
    readings = torch.cos(torch.arange(48.0) * 0.25).view(8, 6)
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.mse_loss(model(readings), readings.mean(1)) + price * model.cost()
        loss.backward()
        optimizer.step()
    return {"model.gates": model.gates.grad, "model.net.weight": model.net.weight.grad}


def broken():
    return train(Field)


def fixed():
    return train(SmoothField)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
