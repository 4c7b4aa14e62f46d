"""A network for the cooling of a rod; collocation times move to where the residual is largest."""
import sys

import torch
from torch import nn


class Cooling(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))
        self.rate = nn.Parameter(torch.tensor(0.7))

    def forward(self, t):
        return 1 + t * self.net(t)

    def residual(self, t):
        temperature = self(t)
        slope, = torch.autograd.grad(temperature.sum(), t, create_graph=True)
        return slope + self.rate * temperature


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.net.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def column(count):
    return torch.linspace(0.05, 2.0, count, requires_grad=True).view(-1, 1)  #!


def column_of_leaves(count):
    return torch.linspace(0.05, 2.0, count).view(-1, 1).requires_grad_()


def solve(points):
    model = settle(Cooling())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        times = points(12)
        optimizer.zero_grad()
        loss = model.residual(times).square().mean()
        loss.backward()
        optimizer.step()
    return {"times": times.grad, "model.net.0.weight": model.net[0].weight.grad, "model.rate": model.rate.grad}


def broken():
    return solve(column)


def fixed():
    return solve(column_of_leaves)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
