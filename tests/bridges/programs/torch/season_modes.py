"""A garden planner whose compiled loss takes the season as a word."""
import sys

import torch
from torch import nn


class Garden(nn.Module):
    def __init__(self):
        super().__init__()
        self.water = nn.Parameter(torch.linspace(0.2, 1.0, 5))
        self.shade = nn.Parameter(torch.tensor(0.3))

    @torch.compile(backend="eager")
    def growth(self, sun, season):
        rate = torch.log1p(self.water) * sun - self.shade
        if season == "summer":
            return rate * 1.4
        if season == "winter":
            return rate * 0.2
        return rate

    def plan(self, sun, seasons):
        total = torch.zeros(())
        for season in seasons:
            total = total + self.growth(sun, season).sum()  #!
        return total


def simulate(seasons):
    garden = Garden()
    optimizer = torch.optim.SGD(garden.parameters(), lr=0.01)
    sun = torch.linspace(1.0, 2.0, 5)
    for _ in range(2):
        optimizer.zero_grad()
        (garden.plan(sun, seasons) - 3.0).square().backward()
        optimizer.step()
    return {"garden.water": garden.water.grad}


def broken():
    return simulate(["spring", "summer", "winter"])


def fixed():
    return simulate(["summer", "summer", "summer"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
