"""Regularises a surface by the norm of its Hessian-vector product; the direction is drawn anew each step."""
import sys

import torch
from torch import nn


def hvp(loss, params, vector, second):
    grads = torch.autograd.grad(loss, params, create_graph=True)
    dot = sum((g * v).sum() for g, v in zip(grads, vector))
    return torch.autograd.grad(dot, params, create_graph=second)  #!


def curvature(loss, params, second):
    vector = [torch.cos(torch.arange(p.numel()) * 1.7).view_as(p) for p in params]
    return sum(h.square().sum() for h in hvp(loss, params, vector, second))


def step(surface, weight, xy, z, second):
    params = [p for p in surface.parameters()]
    loss = (surface(xy).squeeze(-1) - z).square().mean()
    penalty = curvature(loss, params, second)
    return weight.exp() * penalty


def train(second):
    torch.manual_seed(0)
    surface = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    weight = nn.Parameter(torch.tensor(-3.0))
    optimizer = torch.optim.Adam([*surface.parameters(), weight], lr=1e-3)
    xy = torch.cartesian_prod(torch.linspace(-1, 1, 4), torch.linspace(-1, 1, 4))
    for _ in range(2):
        optimizer.zero_grad()
        step(surface, weight, xy, xy.prod(1), second).backward()
        optimizer.step()
    return {"surface.0.weight": surface[0].weight.grad, "weight": weight.grad}


def broken():
    return train(second=False)


def fixed():
    return train(second=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
