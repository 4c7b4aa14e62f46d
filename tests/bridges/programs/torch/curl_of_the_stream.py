"""A stream function's velocities: the derivative is taken first, and the divergence of a learned field punished."""
import sys

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
        self.drag = nn.Parameter(torch.tensor(0.5))

    def forward(self, place):
        return self.net(place)


def divergence(flow, place, **how):
    total = 0.0
    for axis in range(2):
        (slope,) = torch.autograd.grad(flow[:, axis].sum(), place, retain_graph=True, **how)  #!
        total = total + slope[:, axis]
    return total


def stream(**how):
    torch.manual_seed(99)
    field = Field()
    optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
    place = torch.sin(torch.arange(12.0)).view(6, 2).requires_grad_()
    flow = field(place)
    size = flow.detach().norm(dim=1).mean()
    loss = (field.drag * divergence(flow, place, **how) / size).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"field.net.0.weight": field.net[0].weight.grad, "field.drag": field.drag.grad}


def broken():
    return stream()


def fixed():
    return stream(create_graph=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
