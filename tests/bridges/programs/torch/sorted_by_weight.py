"""A layer of its own that normalises weights of parcels and hands out both the weights and what is left of the limit."""
import sys

import torch
from torch import nn


class Allot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, demand, limit):
        shares = demand / demand.sum(dim=-1, keepdim=True)
        left = limit - demand.sum(dim=-1)
        ctx.save_for_backward(demand)
        ctx.mark_non_differentiable(left)
        return shares, left

    @staticmethod
    def backward(ctx, grad_shares, _):
        (demand,) = ctx.saved_tensors
        total = demand.sum(dim=-1, keepdim=True)
        return grad_shares / total - (grad_shares * demand).sum(dim=-1, keepdim=True) / total**2, None


def allot(demand, limit):
    shares = demand / demand.sum(dim=-1, keepdim=True)
    return shares, limit - demand.sum(dim=-1)


class Planner(nn.Module):
    def __init__(self, split):
        super().__init__()
        self.split = split
        self.demand = nn.Linear(4, 3)
        self.value = nn.Linear(1, 1)

    def forward(self, route):
        demand = nn.functional.softplus(self.demand(route))
        _, left = self.split(demand, 5.0)  #!
        return self.value(left.unsqueeze(-1)).squeeze(-1)


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 1.7 + k + 1).view_as(p))
    return module


def train(split):
    planner = initialise(Planner(split))
    optimizer = torch.optim.SGD(planner.parameters(), lr=0.05, momentum=0.9)
    for step in range(3):
        route = torch.cos(torch.arange(20.0).view(5, 4) * 0.5 + step)
        loss = (planner(route) - route.mean(dim=1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"planner.demand.weight": planner.demand.weight.grad, "planner.value.weight": planner.value.weight.grad}


def broken():
    return train(Allot.apply)


def fixed():
    return train(allot)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
