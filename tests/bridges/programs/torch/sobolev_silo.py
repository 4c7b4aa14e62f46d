"""Heat in a grain silo: derivatives by depth and hour are fitted to measured fluxes."""
import sys

import torch
from torch import nn


class Silo(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 10), nn.Tanh(), nn.Linear(10, 1))


class Still(Silo):
    def __init__(self):
        super().__init__(1)

    def forward(self, depth, hour):
        return self.net(depth)  #~


class Moving(Silo):
    def __init__(self):
        super().__init__(2)

    def forward(self, depth, hour):
        return self.net(torch.cat([depth, hour], dim=1))


def slopes(kind):
    torch.manual_seed(18)
    model = kind()
    depth = torch.linspace(0, 1, 6).unsqueeze(1).requires_grad_()
    hour = torch.linspace(0, 24, 6).div(24).unsqueeze(1).requires_grad_()  #!
    heat = model(depth, hour)
    by_depth, by_hour = torch.autograd.grad(heat.sum(), (depth, hour), create_graph=True)
    return {"hour": by_hour}


def broken():
    return slopes(Still)


def fixed():
    return slopes(Moving)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
