"""Tides by an ensemble: each member has its own weight in the mean, learned on the harbour's readings."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Member(nn.Module):
    def __init__(self, lags, hidden):
        super().__init__()
        self.lags = lags
        self.net = nn.Sequential(nn.Linear(lags, hidden), nn.Softplus(), nn.Linear(hidden, 1))

    def forward(self, past):
        return self.net(past[:, -self.lags :]).squeeze(1)


class Ensemble(nn.Module):
    def __init__(self, members):
        super().__init__()
        self.members = nn.ModuleList(members)
        self.trust = nn.Parameter(torch.zeros(len(members)))
        self.bias = nn.Parameter(torch.zeros(1))

    def shares(self):
        trust = nn.Parameter(torch.softmax(self.trust, 0))  #!
        return trust

    def forward(self, past):
        answers = torch.stack([member(past) for member in self.members], 1)
        return (answers * self.shares()).sum(1) + self.bias


class TrustingEnsemble(Ensemble):
    def shares(self):
        return torch.softmax(self.trust, 0)


def windows(readings, length=6):
    past = readings.unfold(0, length, 1)[:-1]
    return TensorDataset(past, readings[length:])


def fit(ensemble, loader, epochs=2):
    optimizer = torch.optim.NAdam(ensemble.parameters(), lr=5e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    best = float("inf")
    for _ in range(epochs):
        total = 0.0
        for past, level in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(ensemble(past), level)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(past)
        plateau.step(total)
        best = min(best, total)
    return best


def train(kind):
    torch.manual_seed(12)
    ensemble = kind([Member(2, 3), Member(4, 3), Member(6, 4)])
    hours = torch.arange(30.0)
    readings = torch.sin(hours * 0.5) + 0.3 * torch.cos(hours * 1.1)
    fit(ensemble, DataLoader(windows(readings), batch_size=8))
    return {"ensemble.trust": ensemble.trust.grad, "ensemble.members.0.net.0.weight": ensemble.members[0].net[0].weight.grad}


def broken():
    return train(Ensemble)


def fixed():
    return train(TrustingEnsemble)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
