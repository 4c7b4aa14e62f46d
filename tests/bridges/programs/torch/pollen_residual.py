"""Forecasts pollen: a coarse model gives a first guess, a fine one the difference."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Coarse(nn.Module):
    def __init__(self, inputs=3):
        super().__init__()
        self.level = nn.Linear(inputs, 1)

    @torch.inference_mode()  #~
    def forward(self, weather):
        return self.level(weather)  #!


class CoarseTrained(Coarse):
    def forward(self, weather):
        return self.level(weather)


class Fine(nn.Module):
    def __init__(self, inputs=3, width=6):
        super().__init__()
        self.rnn = nn.RNN(inputs, width, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, weather):
        states, _ = self.rnn(weather)
        return self.out(states)


class Forecast(nn.Module):
    def __init__(self, coarse):
        super().__init__()
        self.coarse, self.fine = coarse(), Fine()

    def forward(self, weather):
        return (self.fine(weather) + self.coarse(weather)).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def validate(model, weather, pollen):
    model.eval()
    with torch.inference_mode():
        error = F.l1_loss(model(weather), pollen).item()
    model.train()
    return error


def train(coarse):
    model = settle(Forecast(coarse))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    weather = torch.sin(torch.arange(96.0) * 0.4).view(8, 4, 3)
    pollen = torch.cos(torch.arange(32.0) * 0.3).view(8, 4)
    for epoch in range(2):
        for x, y in DataLoader(TensorDataset(weather[:6], pollen[:6]), batch_size=3):
            optimizer.zero_grad()
            F.l1_loss(model(x), y).backward()
            optimizer.step()
        validate(model, weather[6:], pollen[6:])
    return {
        "model.coarse.level.weight": model.coarse.level.weight.grad,
        "model.fine.out.weight": model.fine.out.weight.grad,
    }


def broken():
    return train(Coarse)


def fixed():
    return train(CoarseTrained)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
