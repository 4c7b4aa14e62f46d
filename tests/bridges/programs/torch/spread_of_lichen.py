"""Logistic growth of a lichen on gravestones, by the year of the photograph."""
import sys

import torch
from torch import nn


class Growth(nn.Module):
    def __init__(self, middle):
        super().__init__()
        self.rate = nn.Parameter(torch.tensor(0.9))
        self.middle = nn.Parameter(torch.tensor(middle))
        self.largest = nn.Parameter(torch.tensor(3.0))

    def forward(self, year):
        return self.largest * torch.sigmoid(self.rate * (year - self.middle))  #!


def photographs():
    year = torch.tensor([1952.0, 1960.0, 1968.0, 1975.0, 1983.0, 1990.0])
    return year, 4.2 / (1 + torch.exp(-0.15 * (year - 1970)))


def fit(middle, rounds=4):
    growth = Growth(middle)
    year, area = photographs()
    optimizer = torch.optim.Adam(growth.parameters(), lr=0.05)
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = (growth(year) - area).square().mean()
        loss.backward()
        optimizer.step()
    return {"growth.middle": growth.middle.grad, "growth.rate": growth.rate.grad, "growth.largest": growth.largest.grad}


def broken():
    return fit(0.0)  #~


def fixed():
    return fit(1970.0)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
