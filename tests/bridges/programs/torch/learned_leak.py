"""Neurons of a cuttlefish with a leak that is to be learned."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Leaky(nn.Module):
    def __init__(self, leak=0.15):
        super().__init__()
        self.leak = nn.Parameter(torch.tensor(leak))

    def forward(self, x):
        return F.leaky_relu(x, negative_slope=self.leak.item())  #!


class LearnedLeaky(Leaky):
    def forward(self, x):
        return F.relu(x) - self.leak * F.relu(-x)


class Cuttlefish(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 4), nn.Linear(4, 2)])
        self.activation = activation

    def forward(self, light):
        for layer in self.layers[:-1]:
            light = self.activation(layer(light))
        return self.layers[-1](light)


def train(activation):
    fish = Cuttlefish(activation)
    with torch.no_grad():
        for k, p in enumerate(fish.layers.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.SGD(fish.parameters(), lr=0.05)
    for step in range(3):
        light = torch.cos(torch.arange(18.0).view(6, 3) * 0.6 + step)
        loss = F.cross_entropy(fish(light), torch.arange(6) % 2)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return {"fish.activation.leak": fish.activation.leak.grad, "fish.layers.0.weight": fish.layers[0].weight.grad}


def broken():
    return train(Leaky())


def fixed():
    return train(LearnedLeaky())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
