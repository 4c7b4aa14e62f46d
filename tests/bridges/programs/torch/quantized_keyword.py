"""Spots a keyword on a microcontroller: weights are rounded to 4 bits while training."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def to_grid(weight, bits):
    step = weight.detach().abs().max() / (2 ** (bits - 1) - 1)
    return torch.round(weight / step) * step  #!


def to_grid_straight(weight, bits):
    step = weight.detach().abs().max() / (2 ** (bits - 1) - 1)
    rounded = torch.round(weight / step) * step
    return weight + (rounded - weight).detach()


class QuantLinear(nn.Linear):
    def __init__(self, inputs, outputs, grid, bits=4):
        super().__init__(inputs, outputs)
        self.grid, self.bits = grid, bits

    def forward(self, x):
        return F.linear(x, self.grid(self.weight, self.bits), self.bias)


class Spotter(nn.Module):
    def __init__(self, grid):
        super().__init__()
        self.features = nn.Linear(8, 6)
        self.hidden = QuantLinear(6, 6, grid)
        self.out = QuantLinear(6, 2, grid)

    def forward(self, frames):
        h = torch.relu(self.features(frames))
        return self.out(torch.relu(self.hidden(h)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(grid):
    model = settle(Spotter(grid))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    frames, words = torch.cos(torch.arange(96.0)).view(12, 8), torch.arange(12) % 2
    for epoch in range(3):
        for rows in torch.arange(12).split(4):
            loss = F.cross_entropy(model(frames[rows]), words[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {
        "model.hidden.weight": model.hidden.weight.grad,
        "model.out.weight": model.out.weight.grad,
        "model.features.weight": model.features.weight.grad,
    }


def broken():
    return train(to_grid)


def fixed():
    return train(to_grid_straight)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
