"""Quantization-aware training of a dosing controller: weights are rounded to a grid in the forward pass."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Grid(nn.Module):
    def __init__(self, steps=16):
        super().__init__()
        self.steps = steps

    def forward(self, weight):
        scale = weight.detach().abs().amax() / self.steps
        return torch.round(weight / scale) * scale  #!


class ThroughGrid(Grid):
    def forward(self, weight):
        scale = weight.detach().abs().amax() / self.steps
        return weight + (torch.round(weight / scale) * scale - weight).detach()


class GridLinear(nn.Module):
    def __init__(self, inputs, outputs, grid):
        super().__init__()
        self.weight = nn.Parameter(torch.sin(torch.arange(float(inputs * outputs))).view(outputs, inputs) / inputs)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.grid = grid

    def forward(self, x):
        return F.linear(x, self.grid(self.weight), self.bias)


class Controller(nn.Module):
    def __init__(self, grid):
        super().__init__()
        self.first, self.second = GridLinear(4, 8, grid), GridLinear(8, 1, grid)

    def forward(self, readings):
        return self.second(F.hardswish(self.first(readings))).squeeze(1)


class Ema:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)


def train(grid):
    torch.manual_seed(24)
    controller = Controller(grid())
    optimizer = torch.optim.SGD(controller.parameters(), lr=0.05, momentum=0.9)
    ema = Ema(controller)
    readings = torch.cos(torch.arange(64.0) * 0.9).view(16, 4)
    loader = DataLoader(TensorDataset(readings, readings.sum(1)), batch_size=8, drop_last=True)
    for _ in range(2):
        for reading, dose in loader:
            optimizer.zero_grad()
            F.l1_loss(controller(reading), dose).backward()
            optimizer.step()
            ema.update(controller)
    return {
        "controller.first.weight": controller.first.weight.grad,
        "controller.second.weight": controller.second.weight.grad,
        "controller.second.bias": controller.second.bias.grad,
    }


def broken():
    return train(Grid)


def fixed():
    return train(ThroughGrid)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
