"""Heteroscedastic forecast of tides: a network gives the mean and the log variance of each level."""
import sys

import torch
from torch import nn


class Tides(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
        self.mean = nn.Linear(8, 1)
        self.log_variance = nn.Linear(8, 1)

    def forward(self, hour):
        h = self.trunk(hour)
        return self.mean(h), self.log_variance(h)


def gaussian_nll(level, mean, log_variance):
    precision = torch.exp(-log_variance)  #!
    return 0.5 * (precision * (level - mean).square() + log_variance).mean()


def bounded_nll(level, mean, log_variance):
    return gaussian_nll(level, mean, 10 * torch.tanh(log_variance / 10))


def hours(scale=400.0):
    t = torch.arange(24.0)
    phases = torch.stack([t * scale / 24, torch.sin(t * 0.5), torch.cos(t * 0.5)], 1)
    return phases, torch.sin(t * 0.52).unsqueeze(1)


def fit(criterion):
    torch.manual_seed(0)
    model = Tides()
    with torch.no_grad():
        model.log_variance.weight.copy_(-model.log_variance.weight.abs())
        model.trunk[0].weight.abs_()
        model.trunk[2].weight.abs_()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x, level = hours()
    for _ in range(3):
        optimizer.zero_grad()
        mean, log_variance = model(x)
        loss = criterion(level, mean, log_variance)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return {"model.mean.weight": model.mean.weight.grad, "model.log_variance.weight": model.log_variance.weight.grad}


def broken():
    return fit(gaussian_nll)


def fixed():
    return fit(bounded_nll)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
