"""Predicts amounts of new snow, which are never negative."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Snowfall(nn.Module):
    def __init__(self, stations=4, dim=3, base=-3.0):
        super().__init__()
        self.station = nn.Embedding(stations, dim)
        self.weather = nn.Linear(4, dim)
        self.amount = nn.Linear(dim, 1)
        self.base = base

    def head(self, h):
        return F.relu(self.amount(h) + self.base).squeeze(-1)  #!

    def forward(self, station, weather):
        return self.head(torch.tanh(self.station(station) + self.weather(weather)))


class SoftSnowfall(Snowfall):
    def head(self, h):
        return F.softplus(self.amount(h) + self.base).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    station = torch.arange(16) % 4
    weather = torch.cos(torch.arange(64.0) * 0.3).view(16, 4)
    amount = (3 * torch.sin(torch.arange(16.0))).clamp(min=0)
    for epoch in range(4):
        total = 0.0
        for rows in torch.arange(16).split(8):
            loss = F.mse_loss(model(station[rows], weather[rows]), amount[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
    return {"model.amount.weight": model.amount.weight.grad, "model.station.weight": model.station.weight.grad}


def broken():
    return train(Snowfall)


def fixed():
    return train(SoftSnowfall)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
