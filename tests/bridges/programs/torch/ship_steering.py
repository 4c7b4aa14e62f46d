"""A policy that steers a ship by its distances in metres; actions are squashed by tanh."""
import sys

import torch
from torch import nn


class Helmsman(nn.Module):
    def __init__(self, unit):
        super().__init__()
        self.unit = unit
        self.layers = nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 2)])

    def forward(self, distances):
        x = distances * self.unit
        x = nn.functional.leaky_relu(self.layers[0](x), 0.1)
        return torch.tanh(self.layers[1](x))  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def sail(policy, distances, steps=2):
    cost = 0.0
    for _ in range(steps):
        rudder = policy(distances)
        distances = distances.detach() + torch.cat([rudder, -rudder], dim=1)
        cost = cost + rudder.square().mean() + 1e-4 * distances.square().mean()
    return cost


def train(unit):
    policy = settle(Helmsman(unit))
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    distances = 400.0 + 150.0 * torch.sin(torch.arange(12.0) * 1.3).view(3, 4)
    for episode in range(3):
        optimizer.zero_grad()
        cost = sail(policy, distances)
        cost.backward()
        optimizer.step()
    return {
        "policy.layers.0.weight": policy.layers[0].weight.grad,
        "policy.layers.1.bias": policy.layers[1].bias.grad,
    }


def broken():
    return train(1.0)


def fixed():
    return train(0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
