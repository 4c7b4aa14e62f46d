"""Sorts grain by weight into bins whose edges are learned."""
import sys

import torch
from torch import nn


def hard_share(weights, edges):
    order = torch.searchsorted(edges, weights)  #!
    return torch.bincount(order, minlength=len(edges) + 1) / len(weights)


def soft_share(weights, edges):
    above = torch.sigmoid((weights[:, None] - edges[None, :]) * 4)
    ones = torch.ones(len(weights), 1)
    steps = torch.cat([ones, above], dim=1) - torch.cat([above, 0 * ones], dim=1)
    return steps.mean(dim=0)


def fit(share):
    edges = nn.Parameter(torch.tensor([0.2, 0.5, 0.8]))
    price = nn.Parameter(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    weights = torch.linspace(0.05, 0.95, 10)
    income = (share(weights, edges) * price).sum()
    loss = (income - 3.0).square()
    loss.backward()
    return {"edges": edges.grad, "price": price.grad}


def broken():
    return fit(hard_share)


def fixed():
    return fit(soft_share)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
