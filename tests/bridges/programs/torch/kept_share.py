"""Forecasts visitors of a zoo from weather and calendar; settings come from a file of an older project."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

SETTINGS = {"width": 8, "keep": 1.0, "rate": 5e-3, "epochs": 3}


class Tower(nn.Module):
    def __init__(self, inputs, width, dropout):
        super().__init__()
        self.hidden = nn.Linear(inputs, width)
        self.dropout = dropout

    def forward(self, x):
        h = F.silu(self.hidden(x))
        return F.dropout(h, self.dropout, training=self.training)  #!


class Visitors(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.weather = Tower(4, width, dropout)
        self.calendar = nn.Embedding(7, width)
        self.count = nn.Linear(width, 1)

    def forward(self, weather, day):
        return self.count(self.weather(weather) + self.calendar(day)).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(settings, dropout):
    model = settle(Visitors(settings["width"], dropout))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["rate"])
    weather, day = torch.sin(torch.arange(84.0) * 0.3).view(21, 4), torch.arange(21) % 7
    count = 2 + torch.cos(torch.arange(21.0))
    for epoch in range(settings["epochs"]):
        model.train()
        for rows in torch.arange(21).split(7):
            optimizer.zero_grad()
            loss = F.poisson_nll_loss(model(weather[rows], day[rows]), count[rows])
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            F.poisson_nll_loss(model(weather, day), count).item()
    return {
        "model.weather.hidden.weight": model.weather.hidden.weight.grad,
        "model.calendar.weight": model.calendar.weight.grad,
    }


def broken():
    return train(SETTINGS, SETTINGS["keep"])


def fixed():
    return train(SETTINGS, 1 - SETTINGS["keep"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
