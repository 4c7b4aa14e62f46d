"""Forecasts river levels in segments; the network learns the state in which a year begins."""
import sys

import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.start = nn.Parameter(torch.full((1, 1, hidden), 0.1))
        self.lstm = nn.LSTM(2, hidden, batch_first=True)
        self.level = nn.Linear(hidden, 1)

    def begin(self, batch):
        h = self.start.expand(-1, batch, -1).contiguous()
        return h, torch.zeros_like(h)

    def forward(self, rain, state):
        out, state = self.lstm(rain, state)
        return self.level(out).squeeze(-1), state


def repackage(state):
    if isinstance(state, torch.Tensor):
        return state.detach()  #!
    return tuple(repackage(part) for part in state)


def year(model, optimizer, rain, level, always):
    state = model.begin(len(rain))
    for k, (x, y) in enumerate(zip(rain.split(4, dim=1), level.split(4, dim=1))):
        if k or always:
            state = repackage(state)
        found, state = model(x, state)
        optimizer.zero_grad()
        (found - y).square().mean().backward()
        optimizer.step()
        if k == 0:
            first = {name: p.grad for name, p in model.named_parameters()}
    return first


def train(always):
    torch.manual_seed(0)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    rain = torch.sin(torch.arange(72.0) * 0.4).view(3, 12, 2)
    first = year(model, optimizer, rain, rain.cumsum(dim=1).mean(dim=-1), always)
    return {"model.start": first["start"], "model.lstm.weight_ih_l0": first["lstm.weight_ih_l0"]}


def broken():
    return train(always=True)


def fixed():
    return train(always=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
