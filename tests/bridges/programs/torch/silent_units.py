"""A deep regressor for the yield of hop fields, with biases from an old initialisation."""
import sys

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, bias, depth=3, width=6):
        super().__init__()
        self.enter = nn.Linear(3, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.leave = nn.Linear(width, 1)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.8 + k).view_as(p))
            self.layers[1].bias.fill_(bias)

    def forward(self, x):
        x = torch.relu(self.enter(x))
        for layer in self.layers:
            x = torch.relu(layer(x))  #!
        return self.leave(x)


def train(bias):
    field = Field(bias)
    optimizer = torch.optim.SGD(field.parameters(), lr=0.05)
    weather = torch.cos(torch.arange(24.0) * 0.7).view(8, 3)
    harvest = weather.sum(dim=1, keepdim=True)
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.smooth_l1_loss(field(weather), harvest).backward()
        optimizer.step()
    return {"field.enter.weight": field.enter.weight.grad, "field.leave.bias": field.leave.bias.grad}


def broken():
    return train(-5.0)


def fixed():
    return train(0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
