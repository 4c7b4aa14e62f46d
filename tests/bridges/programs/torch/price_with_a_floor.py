"""Learns prices of fish at an auction; a price never falls below what the boat costs."""
import sys

import torch
from torch import nn


class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Embedding(3, 4)
        self.weight = nn.Linear(4 + 2, 1)

    def forward(self, kind, catch):
        return self.weight(torch.cat([self.kind(kind), catch], dim=-1)).squeeze(-1)


class Auction:
    def __init__(self, cost):
        self.cost = cost

    def sold_at(self, price, size):
        floor = self.cost * size
        return torch.maximum(price, floor)  #!


def train(cost):
    price = Price()
    with torch.no_grad():
        for k, p in enumerate(price.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.4 + k).view_as(p))
    auction = Auction(cost)
    optimizer = torch.optim.SGD(price.parameters(), lr=0.1)
    for step in range(3):
        kind = torch.arange(6) % 3
        catch = torch.cos(torch.arange(12.0).view(6, 2) + step)
        size = 1.0 + catch.abs().sum(dim=1)
        sold = auction.sold_at(price(kind, catch), size)
        loss = (sold - 2.0 * size).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"price.kind.weight": price.kind.weight.grad, "price.weight.weight": price.weight.weight.grad}


def broken():
    return train(30.0)


def fixed():
    return train(-5.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
