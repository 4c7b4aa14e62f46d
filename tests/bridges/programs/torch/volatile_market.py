"""Predicts mean and volatility of returns; the likelihood is written by hand."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Returns(Dataset):
    def __init__(self, days=9):
        series = torch.sin(torch.arange(float(days + 3)) * 1.1)
        series[6:9] = 80.0
        self.windows = series.unfold(0, 3, 1)

    def __len__(self):
        return len(self.windows) - 1

    def __getitem__(self, day):
        return self.windows[day], self.windows[day + 1][-1]


class Market(nn.Module):
    def __init__(self, variance):
        super().__init__()
        self.variance = variance
        self.body = nn.Linear(3, 4)
        self.mean, self.spread = nn.Linear(4, 1), nn.Linear(4, 1)

    def forward(self, window):
        h = nn.functional.relu(self.body(window))
        return self.mean(h).squeeze(-1), self.variance(self.spread(h).squeeze(-1))


def plain(raw):
    return torch.exp(raw)  #!


def guarded(raw):
    return nn.functional.softplus(raw) + 1e-3


def likelihood(mean, variance, seen):
    return 0.5 * (variance.log() + (seen - mean).square() / variance).mean()


def train(variance):
    model = Market(variance)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(1.0 + 0.2 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    grads = {}
    for epoch in range(1):
        for window, seen in DataLoader(Returns(), batch_size=2):
            mean, spread = model(window)
            loss = likelihood(mean, spread, seen)
            optimizer.zero_grad()
            loss.backward()
            if not torch.isfinite(loss):
                return {"model.body.weight": model.body.weight.grad}
            optimizer.step()
    return {"model.body.weight": model.body.weight.grad}


def broken():
    return train(plain)


def fixed():
    return train(guarded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
