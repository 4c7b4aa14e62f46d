"""Quantile forecasts of snow depth: a head for each quantile, stored in a dictionary by name; one is asked by a typo."""
import sys

import torch
from torch import nn


class Quantiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 6), nn.Softplus())
        self.heads = nn.ModuleDict({"low": nn.Linear(6, 1), "mid": nn.Linear(6, 1), "high": nn.Linear(6, 1)})  #~

    def forward(self, x):
        h = self.body(x)
        return {name: head(h).squeeze(-1) for name, head in self.heads.items()}


LEVELS = {"low": 0.1, "mid": 0.5, "high": 0.9}


def pinball(found, true, level):
    error = true - found
    return torch.max(level * error, (level - 1) * error).mean()


def train(names):
    torch.manual_seed(0)
    model = Quantiles()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.sin(torch.arange(15.0)).view(5, 3)
    for _ in range(2):
        found = model(x)
        loss = torch.stack([pinball(found[name], x.sum(1), LEVELS[name]) for name in names]).sum()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.heads.high.weight": model.heads["high"].weight.grad, "model.heads.low.weight": model.heads["low"].weight.grad}


def broken():
    return train(["low", "mid", "mid"])


def fixed():
    return train(["low", "mid", "high"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
