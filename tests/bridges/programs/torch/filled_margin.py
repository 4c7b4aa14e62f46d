"""Ranks sheepdogs by trials: a hinge with a learned margin, which is filled into a tensor of the batch's size."""
import sys

import torch
from torch import nn


class DogEncoder(nn.Module):
    def __init__(self, features=4, width=6):
        super().__init__()
        self.project = nn.Linear(features, width)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, trials):
        return self.score(torch.nn.functional.silu(self.project(trials))).squeeze(-1)


class RankingLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.margin = nn.Parameter(torch.tensor(0.4))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def margins(self, like):
        return like.new_full(like.shape, float(self.margin))  #!

    def forward(self, better, worse):
        self.seen += better.numel()
        return torch.relu(self.margins(better) - (better - worse)).mean() + 0.1 / (1 + better.std())


class LearnedMarginLoss(RankingLoss):
    def margins(self, like):
        return self.margin.expand_as(like)


def pairs(count=10):
    trials = torch.sin(torch.arange(count * 8.0) * 0.53).view(2, count, 4)
    return trials[0], trials[1]


def train(kind):
    encoder, criterion = DogEncoder(), kind()
    with torch.no_grad():
        for k, p in enumerate(encoder.parameters()):
            p.copy_(torch.cos(torch.arange(float(p.numel())) * 0.9 + k).view_as(p) * 0.3)
    optimizer = torch.optim.SGD([{"params": encoder.parameters()}, {"params": criterion.parameters(), "lr": 1e-3}], lr=1e-2)
    better, worse = pairs()
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(encoder(better), encoder(worse))
        loss.backward()
        optimizer.step()
    return {"criterion.margin": criterion.margin.grad, "encoder.project.weight": encoder.project.weight.grad}


def broken():
    return train(RankingLoss)


def fixed():
    return train(LearnedMarginLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
