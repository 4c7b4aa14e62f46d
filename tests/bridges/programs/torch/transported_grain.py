"""Learns the costs of moving grain from farms to mills by regularised optimal transport (Sinkhorn)."""
import sys

import torch
from torch import nn


class Costs(nn.Module):
    def __init__(self, farms=4, mills=3):
        super().__init__()
        self.farm = nn.Parameter(torch.stack([torch.arange(float(farms)), torch.sin(torch.arange(float(farms)))], 1))
        self.mill = nn.Parameter(torch.stack([torch.linspace(0, 30, mills), torch.zeros(mills)], 1))

    def forward(self):
        return (self.farm.unsqueeze(1) - self.mill.unsqueeze(0)).square().sum(-1)


def sinkhorn(cost, supply, demand, eps=0.05, rounds=5):
    kernel = torch.exp(-cost / eps)
    v = torch.ones_like(demand)
    for _ in range(rounds):
        u = supply / (kernel @ v)  #!
        v = demand / (kernel.T @ u)  #~
    return u.unsqueeze(1) * kernel * v.unsqueeze(0)


def log_sinkhorn(cost, supply, demand, eps=0.05, rounds=5):
    f, g = torch.zeros_like(supply), torch.zeros_like(demand)
    for _ in range(rounds):
        f = eps * (supply.log() - torch.logsumexp((g.unsqueeze(0) - cost) / eps, 1))
        g = eps * (demand.log() - torch.logsumexp((f.unsqueeze(1) - cost) / eps, 0))
    return torch.exp((f.unsqueeze(1) + g.unsqueeze(0) - cost) / eps)


def learn(plan):
    costs = Costs()
    supply, demand = torch.tensor([0.2, 0.3, 0.4, 0.1]), torch.tensor([0.5, 0.2, 0.3])
    moved = torch.outer(supply, demand)
    optimizer = torch.optim.SGD(costs.parameters(), lr=1e-3)
    for _ in range(2):
        cost = costs()
        flow = plan(cost, supply, demand)
        loss = (flow - moved).square().sum() + 1e-3 * (flow * cost).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"costs.farm": costs.farm.grad, "costs.mill": costs.mill.grad}


def broken():
    return learn(sinkhorn)


def fixed():
    return learn(log_sinkhorn)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
