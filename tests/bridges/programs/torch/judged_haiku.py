"""Tunes the mood of a poet by the judgement of a frozen reward model."""
import sys

import torch
from torch import nn


class Poet(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.mood = nn.Parameter(torch.linspace(-0.2, 0.3, width))
        self.register_buffer("table", torch.sin(torch.arange(4.0 * width)).view(4, width))

    def forward(self):
        return self.table * torch.exp(self.mood)


class Judge(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 6), nn.SiLU(), nn.Linear(6, 1))
        self.requires_grad_(False)

    def score(self, lines):
        return self.net(lines).mean()  #!

    def reward(self, lines):
        with torch.no_grad():
            return self.score(lines)


def guarded(judge, lines):
    return judge.reward(lines)


def tune(judgement):
    torch.manual_seed(17)
    poet, judge = Poet(), Judge()
    optimizer = torch.optim.Adam(poet.parameters(), lr=1e-2)
    for _ in range(2):
        loss = -judgement(judge, poet())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"poet.mood": poet.mood.grad}


def broken():
    return tune(guarded)


def fixed():
    return tune(Judge.score)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
