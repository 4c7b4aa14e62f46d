"""Judges cocoons of silkworms by a compiled scorer: trays in the morning, single ones at the door in the evening."""
import sys

import torch
from torch import nn


class CocoonScorer(nn.Module):
    def __init__(self, features=4):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.score = nn.Linear(features, 1)

    def forward(self, cocoon):
        return self.score(self.norm(cocoon)).squeeze(-1)


class Farm:
    def __init__(self):
        torch.manual_seed(9)
        self.scorer = CocoonScorer()
        self.grade = torch.compile(self.rate, backend="eager")

    def rate(self, cocoon):
        return torch.sigmoid(self.scorer(cocoon)) * 10

    def at_the_door(self, cocoon):
        return self.grade(cocoon)  #!


class TrayFarm(Farm):
    def at_the_door(self, cocoon):
        return self.grade(torch.stack([cocoon] * 5))[0]


def morning(count=3, size=5):
    return [torch.sin(torch.arange(size * 4.0) * (k + 1) * 0.3).view(size, 4) for k in range(count)]


def day(kind):
    torch._dynamo.reset()
    farm = kind()
    total = 0.0
    for tray in morning():
        total = total + (farm.grade(tray) - 6).square().mean()
    late = torch.cos(torch.arange(4.0))
    total = total + (farm.at_the_door(late) - 5).abs()
    total.backward()
    return {"farm.scorer.score.weight": farm.scorer.score.weight.grad}


def broken():
    return day(Farm)


def fixed():
    return day(TrayFarm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
