"""Insurance premiums from a learned risk score that is put into bands."""
import sys

import torch
from torch import nn
import torch.nn.functional as F

EDGES = torch.tensor([-0.5, 0.0, 0.5])


def hard(score, table):
    band = torch.bucketize(score, EDGES)  #!
    return table(band)  #~


def soft(score, table):
    distance = (score.unsqueeze(-1) - torch.tensor([-0.75, -0.25, 0.25, 0.75])).square()
    return torch.softmax(-distance, dim=-1) @ table.weight


class Premium(nn.Module):
    def __init__(self, banding):
        super().__init__()
        self.banding = banding
        self.risk = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 1))
        self.table = nn.Embedding(4, 2)
        self.base = nn.Linear(2, 1)

    def forward(self, customer):
        score = torch.tanh(self.risk(customer)).squeeze(-1)
        return F.softplus(self.base(self.banding(score, self.table))).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(banding):
    model = settle(Premium(banding))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
    customers = torch.sin(torch.arange(24.0) * 0.7).view(8, 3)
    claims = torch.cos(torch.arange(8.0)).abs() + 0.1
    young = customers[:, 0] > 0
    for epoch in range(3):
        premium = model(customers)
        weight = torch.where(young, 2.0, 1.0)
        loss = (weight * (premium - claims * premium.clamp_min(1e-6).log())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.risk.0.weight": model.risk[0].weight.grad, "model.table.weight": model.table.weight.grad}


def broken():
    return train(hard)


def fixed():
    return train(soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
