"""Ranks of rainfall become normal scores before a network compares stations; the wettest day has rank one."""
import sys

import torch
from torch import nn


def soft_ranks(values, softness):
    differences = (values[:, None] - values[None, :]) / softness
    return torch.sigmoid(differences).sum(1) / len(values)


class NormalScores(nn.Module):
    def __init__(self, days):
        super().__init__()
        self.log_softness = nn.Parameter(torch.tensor(-6.0))
        self.days = days

    def shares(self, rain):
        ranks = soft_ranks(rain, self.log_softness.exp())
        return ranks / ranks.amax()

    def forward(self, rain):
        return 2 ** 0.5 * torch.erfinv(2 * self.shares(rain) - 1)  #!


class InnerScores(NormalScores):
    def shares(self, rain):
        ranks = soft_ranks(rain, self.log_softness.exp())
        return (0.5 + ranks * (self.days - 1)) / (self.days + 1)


class StationNet(nn.Module):
    def __init__(self, scores, days):
        super().__init__()
        self.scores = scores(days)
        self.compare = nn.Linear(days, 2)
        nn.init.eye_(self.compare.weight)
        nn.init.zeros_(self.compare.bias)

    def forward(self, stations):
        return torch.stack([self.compare(self.scores(rain)) for rain in stations])


def watch(scores, days=7):
    stations = torch.sin(torch.arange(3.0 * days) * 0.77).view(3, days).abs() * 12
    model = StationNet(scores, days)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    wanted = torch.tensor([[0.1, 0.2], [0.0, -0.1], [0.3, 0.1]])
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(stations), wanted).backward()
        optimizer.step()
    return {"model.compare.weight": model.compare.weight.grad}


def broken():
    return watch(NormalScores)


def fixed():
    return watch(InnerScores)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
