"""Fits a harvest model with a smoothness penalty on its weights."""
import sys

import torch
from torch import nn


class Harvest(nn.Module):
    def __init__(self):
        super().__init__()
        self.season = nn.Parameter(torch.linspace(0.1, 0.9, 6))
        self.base = nn.Parameter(torch.tensor(0.2))

    def roughness(self):
        return (self.season[1:] - self.season[:-1]).square().sum()  #~

    def forward(self, months):
        return self.base + torch.sin(self.season[months])


def fields():
    for k in range(3):
        months = torch.tensor([k, k + 1, k + 2, k + 3])
        yield months, torch.cos(months.float())


def train(once):
    harvest = Harvest()
    optimizer = torch.optim.SGD(harvest.parameters(), lr=0.05)
    penalty = harvest.roughness()
    for months, tons in fields():
        optimizer.zero_grad()
        if not once:
            penalty = harvest.roughness()
        fit = (harvest(months) - tons).square().mean()
        loss = fit + 0.1 * penalty  #!
        loss.backward()  #~
        optimizer.step()
    return {"harvest.season": harvest.season.grad, "harvest.base": harvest.base.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
