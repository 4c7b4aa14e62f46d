"""Autoregressive buoy model: its own forecasts are fed back; the table of inputs is filled as it goes."""
import sys

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, lags=3):
        super().__init__()
        self.lags = lags
        self.net = nn.Sequential(nn.Linear(lags, 6), nn.Tanh(), nn.Linear(6, 1))

    def roll(self, window, value):
        return window.copy_(torch.cat([window[:, 1:], value.unsqueeze(1)], dim=1))  #!

    def forward(self, start, steps):
        window, out = start.clone(), []
        for _ in range(steps):
            value = self.net(window).squeeze(-1)
            out.append(value)
            window = self.roll(window, value)  #~
        return torch.stack(out, dim=1)


class Fresh(Forecaster):
    def roll(self, window, value):
        return torch.cat([window[:, 1:], value.unsqueeze(1)], dim=1)


def fit(kind):
    torch.manual_seed(1)
    model = kind()
    waves = torch.sin(torch.arange(28.0) * 0.5).view(4, 7)
    loss = (model(waves[:, :3], 4) - waves[:, 3:]).abs().mean()
    loss.backward()
    return {"model.net.0.weight": model.net[0].weight.grad}


broken = lambda: fit(Forecaster)
fixed = lambda: fit(Fresh)
if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
