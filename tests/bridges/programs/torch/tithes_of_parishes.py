"""Estimates tithes: one learned level per parish, picked by the number of the parish in each record."""
import sys

import torch
from torch import nn


class Tithes(nn.Module):
    def __init__(self, parishes):
        super().__init__()
        self.levels = nn.ParameterList(nn.Parameter(torch.full((2,), 0.5 + 0.1 * k)) for k in range(parishes))
        self.field = nn.Linear(3, 2)

    def forward(self, field, parish):
        levels = torch.stack(list(self.levels))
        return (self.field(field) * levels[parish]).sum(dim=1)  #!


def read_parishes(records, number):
    return torch.tensor([number(name) for name in records])


def by_length(name):
    return len(name) % 2


def by_initial(name):
    return "ABC".index(name[0])


def train(number):
    tithes = Tithes(3)
    with torch.no_grad():
        for k, p in enumerate(tithes.field.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.2 + k + 1).view_as(p))
    records = ["Alder", "Birch", "Cole", "Ash", "Brook", "Crane"]
    parish = read_parishes(records, number)
    field = torch.cos(torch.arange(18.0).view(6, 3) * 0.6)
    optimizer = torch.optim.SGD(tithes.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (tithes(field, parish) - 1.5).abs().mean()
        loss.backward()
        optimizer.step()
    return {"tithes.levels.2": tithes.levels[2].grad, "tithes.levels.0": tithes.levels[0].grad}


def broken():
    return train(by_length)


def fixed():
    return train(by_initial)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
