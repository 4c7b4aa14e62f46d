"""Forecasts a river gauge by a GRU that carries its state from week to week."""
import sys

import torch
from torch import nn


class Gauge(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 5)
        self.level = nn.Linear(5, 1)

    def forward(self, rain, state):
        for day in rain.unbind(dim=1):
            state = self.cell(day, state)  #!
        return self.level(state).squeeze(1), state


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def as_it_is(state):
    return state


def cut(state):
    return state.detach()


def train(carry):
    gauge = settle(Gauge())
    optimizer = torch.optim.Adam(gauge.parameters(), lr=1e-3)
    rain = torch.sin(torch.arange(96.0) * 0.2).view(3, 16, 2)
    state = torch.zeros(3, 5)
    for week in range(4):
        part = rain[:, 4 * week:4 * week + 4]
        level, state = gauge(part, state)
        loss = (level - part[:, -1, 0]).square().mean()
        loss.backward()
        state = carry(state)
    optimizer.step()
    return {"gauge.cell.weight_hh": gauge.cell.weight_hh.grad}


def broken():
    return train(as_it_is)


def fixed():
    return train(cut)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
