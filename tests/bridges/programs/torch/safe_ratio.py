"""Learns how catch per effort depends on season; boats that stayed in port have no effort."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Effort(nn.Module):
    def __init__(self):
        super().__init__()
        self.season = nn.Embedding(4, 3)
        self.catch = nn.Linear(3, 1)
        self.work = nn.Linear(3, 1)

    def forward(self, season, hours):
        s = self.season(season)
        caught = F.softplus(self.catch(s)).squeeze(1)
        effort = hours * torch.sigmoid(self.work(s)).squeeze(1)
        return caught, effort


def ratio_where(caught, effort):
    return torch.where(effort > 0, caught / effort, torch.zeros(()))  #!


def ratio_twice(caught, effort):
    safe = torch.where(effort > 0, effort, torch.ones(()))
    return torch.where(effort > 0, caught / safe, torch.zeros(()))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(ratio):
    model = settle(Effort())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    season = torch.arange(12) % 4
    hours = torch.tensor([4.0, 6.0, 3.0, 8.0, 5.0, 0.0, 7.0, 2.0, 6.0, 4.0, 0.0, 5.0])
    measured = torch.linspace(0.1, 0.9, 12) * (hours > 0)
    shown = []
    for epoch in range(2):
        optimizer.zero_grad()
        per_hour = ratio(*model(season, hours))
        loss = F.smooth_l1_loss(per_hour, measured)
        shown.append(round(loss.item(), 4))
        loss.backward()
        if epoch == 0:
            optimizer.step()
    return {"model.work.weight": model.work.weight.grad, "model.season.weight": model.season.weight.grad}


def broken():
    return train(ratio_where)


def fixed():
    return train(ratio_twice)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
