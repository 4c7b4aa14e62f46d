"""Cooling of a lava flow on a grid, with a conductivity that is fitted to measurements."""
import sys

import torch
from torch import nn


class Flow(nn.Module):
    def __init__(self, solve, cells=8):
        super().__init__()
        self.solve = solve
        self.log_conductivity = nn.Parameter(torch.full((cells - 2,), -1.0))
        self.register_buffer("start", 1.0 + torch.sin(torch.arange(float(cells))))

    def forward(self, steps):
        return self.solve(self.start, self.log_conductivity.exp(), steps)


def overwrite(start, conductivity, steps):
    heat = torch.zeros(steps + 1, len(start))
    heat[0], heat[:, 0], heat[:, -1] = start, start[0], start[-1]
    for k in range(steps):
        bend = heat[k, 2:] - 2 * heat[k, 1:-1] + heat[k, :-2]
        heat[k + 1, 1:-1] = heat[k, 1:-1] + conductivity * bend * heat[k, 1:-1]  #!
    return heat[-1]


def build(start, conductivity, steps):
    heat = start
    for k in range(steps):
        bend = heat[2:] - 2 * heat[1:-1] + heat[:-2]
        heat = torch.cat([heat[:1], heat[1:-1] + conductivity * bend * heat[1:-1], heat[-1:]])
    return heat


def train(solve):
    flow = Flow(solve)
    optimizer = torch.optim.Rprop(flow.parameters(), lr=0.01)
    measured = torch.linspace(1.2, 0.8, 8)
    for iteration in range(2):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(flow(3), measured)
        loss.backward()
        optimizer.step()
    return {"flow.log_conductivity": flow.log_conductivity.grad}


def broken():
    return train(overwrite)


def fixed():
    return train(build)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
