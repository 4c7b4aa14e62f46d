"""Predicts the drive of sails; the output layer is weight-normalized, and its gradient is logged."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations


class Sails(nn.Module):
    def __init__(self, inputs=4, width=8):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.drive = parametrizations.weight_norm(nn.Linear(width, 2))  #~

    def forward(self, wind):
        return self.drive(torch.tanh(self.enter(wind)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_((0.8 * torch.sin(torch.arange(p.numel()) * 0.9 + k)).view_as(p))
    return module


def layer_weight(layer):
    return layer.weight


def direction(layer):
    return layer.parametrizations.weight.original1


class Log:
    def __init__(self, pick):
        self.pick, self.norms = pick, []

    def write(self, model):
        weight = self.pick(model.drive)  #~
        if weight.grad is not None:
            self.norms.append(weight.grad.norm().item())
        return weight.grad


class PropertyLog(Log):
    def write(self, model):
        weight = model.drive.weight  #!
        if weight.grad is not None:
            self.norms.append(weight.grad.norm().item())
        return weight.grad


def train(log):
    model = settle(Sails())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    wind = torch.cos(torch.arange(40.0) * 0.3).view(10, 4)
    drive = torch.stack([torch.linspace(0, 1, 10), torch.linspace(1, 0, 10)], dim=1)
    for epoch in range(3):
        loss = F.mse_loss(model(wind), drive)
        optimizer.zero_grad()
        loss.backward()
        logged = log.write(model)
        optimizer.step()
    return {"weight": logged, "model.enter.weight": model.enter.weight.grad}


def broken():
    return train(PropertyLog(layer_weight))


def fixed():
    return train(Log(direction))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
