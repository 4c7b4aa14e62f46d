"""Passengers of a tram by the hour; the bands of the day have learned frequencies."""
import sys

import torch
from torch import nn


class Bands(nn.Module):
    def __init__(self, count=4):
        super().__init__()
        self.frequency = nn.Parameter(torch.arange(1, count + 1) * 0.26)
        self.shift = nn.Parameter(torch.zeros(count))

    @torch.no_grad()
    def table(self, hours):
        return hours[:, None] * self.frequency  #!

    def forward(self, hours):
        angle = self.table(hours) + self.shift
        return torch.cat([angle.sin(), angle.cos()], dim=1)


class LiveBands(Bands):
    def table(self, hours):
        return hours[:, None] * self.frequency


def fit(bands):
    torch.manual_seed(0)
    model = nn.Sequential(bands(), nn.Linear(8, 1))
    hours = torch.arange(24.0)
    riders = torch.relu(torch.sin(hours / 4)) + 0.2
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for epoch in range(3):
        loss = (model(hours)[:, 0] - riders).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            error = (model(hours)[:, 0] - riders).abs().max()
    return {"model.0.frequency": model[0].frequency.grad, "model.0.shift": model[0].shift.grad}


def broken():
    return fit(Bands)


def fixed():
    return fit(LiveBands)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
