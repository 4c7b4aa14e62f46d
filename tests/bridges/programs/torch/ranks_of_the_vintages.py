"""Vintages are ranked by a score; the correlation of ranks should be high."""
import sys

import torch
from torch import nn


class Taster(nn.Module):
    def __init__(self):
        super().__init__()
        self.nose = nn.Linear(3, 5)
        self.palate = nn.Linear(5, 1)

    def forward(self, wine):
        return self.palate(torch.tanh(self.nose(wine))).squeeze(1)


def ranks(score):
    order = score.argsort()  #!
    place = torch.empty_like(score)
    place[order] = torch.arange(float(len(score)))
    return place


def soft_ranks(score):
    return torch.sigmoid((score[:, None] - score[None]) / 0.1).sum(1)


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / (a.norm() * b.norm()).clamp(min=1e-6)


def taste(rank):
    torch.manual_seed(93)
    taster = Taster()
    level = nn.Parameter(torch.zeros(()))
    wine = torch.cos(torch.arange(18.0) * 1.3).view(6, 3)
    price = torch.tensor([9.0, 14.0, 7.0, 30.0, 22.0, 12.0])
    score = taster(wine)
    loss = 1 - correlation(rank(score), ranks(price)) + (level - price.mean() / 20).square()
    loss.backward()
    return {"taster.nose.weight": taster.nose.weight.grad, "level": level.grad}


def broken():
    return taste(ranks)


def fixed():
    return taste(soft_ranks)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
