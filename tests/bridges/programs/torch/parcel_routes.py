"""Sends parcels to depots by learned scores and prices the routes."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Dispatcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(3, 4)
        self.prices = nn.Parameter(torch.linspace(1.0, 2.5, 4))
        with torch.no_grad():
            self.scores.weight.copy_(torch.sin(torch.arange(12.0)).view(4, 3))
            self.scores.bias.zero_()

    def choose(self, scores):
        depot = scores.argmax(dim=-1)  #!
        return F.one_hot(depot, scores.shape[-1]).float()

    def forward(self, parcels):
        choice = self.choose(self.scores(parcels))
        return choice @ self.prices


class SoftDispatcher(Dispatcher):
    def choose(self, scores):
        return torch.softmax(scores / 0.5, dim=-1)


def train(kind):
    dispatcher = kind()
    parcels = torch.cos(torch.arange(18.0)).view(6, 3)
    busiest = dispatcher.scores(parcels).argmax(1)
    optimizer = torch.optim.Adam(dispatcher.parameters(), lr=0.02)
    for _ in range(3):
        optimizer.zero_grad()
        cost = dispatcher(parcels).mean() + 0.01 * dispatcher.prices.square().sum()
        cost.backward()
        optimizer.step()
    assert busiest.shape == (6,)
    return {"dispatcher.scores.weight": dispatcher.scores.weight.grad, "dispatcher.prices": dispatcher.prices.grad}


def broken():
    return train(Dispatcher)


def fixed():
    return train(SoftDispatcher)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
