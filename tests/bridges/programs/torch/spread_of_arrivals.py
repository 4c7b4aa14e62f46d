"""Arrival times of ferries with their spread: a Gaussian likelihood, the log of the spread is kept in a range."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Arrivals(nn.Module):
    floor, ceiling = 2.0, 8.0

    def __init__(self, inputs=3, hidden=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh())
        self.mean = nn.Linear(hidden, 1)
        self.log_spread = nn.Linear(hidden, 1)

    def forward(self, trip):
        x = self.body(trip)
        log_spread = torch.clamp(self.log_spread(x), self.floor, self.ceiling)  #!
        return self.mean(x).squeeze(1), log_spread.squeeze(1)


class WideArrivals(Arrivals):
    floor = -8.0


def likelihood(mean, log_spread, seen):
    return (log_spread + 0.5 * ((seen - mean) / log_spread.exp()).square()).mean()


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.best, self.waited = patience, float("inf"), 0

    def __call__(self, loss):
        self.waited = 0 if loss < self.best else self.waited + 1
        self.best = min(self.best, loss)
        return self.waited > self.patience


def train(kind):
    torch.manual_seed(22)
    model = kind()
    optimizer = torch.optim.Adam(
        [{"params": model.body.parameters()}, {"params": [*model.mean.parameters(), *model.log_spread.parameters()], "lr": 2e-3}],
        lr=1e-3,
    )
    trips = torch.sin(torch.arange(48.0) * 0.77).view(16, 3)
    loader = DataLoader(TensorDataset(trips, trips.sum(1)), batch_size=4)
    stop = EarlyStopping()
    for _ in range(3):
        total = 0.0
        for trip, seen in loader:
            mean, log_spread = model(trip)
            loss = likelihood(mean, log_spread, seen)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if stop(total):
            break
    return {
        "model.log_spread.weight": model.log_spread.weight.grad,
        "model.mean.weight": model.mean.weight.grad,
    }


def broken():
    return train(Arrivals)


def fixed():
    return train(WideArrivals)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
