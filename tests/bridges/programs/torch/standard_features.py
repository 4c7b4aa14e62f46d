"""Ranks wool by features that are standardised before the last layer."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Standardise(nn.Module):
    def forward(self, feature):
        feature -= feature.mean(dim=0)
        feature /= feature.std(dim=0) + 1e-5  #!
        return feature


class PlainStandardise(nn.Module):
    def forward(self, feature):
        feature = feature - feature.mean(dim=0)
        return feature / (feature.std(dim=0) + 1e-5)


class Wool(nn.Module):
    def __init__(self, standardise):
        super().__init__()
        self.fibre = nn.Linear(4, 5)
        self.standardise = standardise
        self.rank = nn.Linear(5, 1)

    def forward(self, sample):
        return self.rank(self.standardise(self.fibre(sample))).squeeze(-1)


def train(standardise):
    wool = Wool(standardise)
    with torch.no_grad():
        for k, p in enumerate(wool.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    optimizer = torch.optim.SGD(wool.parameters(), lr=0.01)
    for step in range(2):
        better = torch.sin(torch.arange(24.0).view(6, 4) + step)
        worse = torch.cos(torch.arange(24.0).view(6, 4) * 0.6 + step)
        loss = F.margin_ranking_loss(wool(better), wool(worse), torch.ones(6), margin=0.5)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"wool.fibre.weight": wool.fibre.weight.grad, "wool.rank.weight": wool.rank.weight.grad}


def broken():
    return train(Standardise())


def fixed():
    return train(PlainStandardise())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
