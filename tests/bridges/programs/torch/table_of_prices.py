"""Prices of hay are looked up in a learned table by the index of the nearest entry."""
import sys

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, entries=5):
        super().__init__()
        self.points = nn.Parameter(torch.linspace(0.0, 4.0, entries))
        self.prices = nn.Parameter(torch.linspace(1.0, 2.0, entries))

    def nearest(self, weight):
        return (weight[:, None] - self.points).abs().argmin(dim=1)  #!

    def forward(self, weight):
        return self.prices[self.nearest(weight)]


class SoftTable(Table):
    def forward(self, weight):
        near = (-(weight[:, None] - self.points).abs() * 4).softmax(dim=1)
        return near @ self.prices


def fit(kind):
    table = kind()
    weight = torch.tensor([0.3, 1.2, 2.6, 3.9])
    paid = torch.tensor([1.2, 1.3, 1.6, 2.1])
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.l1_loss(table(weight), paid).backward()
        optimizer.step()
    return {"table.points": table.points.grad, "table.prices": table.prices.grad}


broken = lambda: fit(Table)
fixed = lambda: fit(SoftTable)
if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
