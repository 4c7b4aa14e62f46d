"""Two experts for freight: heavy goods go to one of them, light goods to the other."""
import sys

import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.rate = nn.Parameter(torch.full((3,), scale))

    def forward(self, goods):
        return goods @ self.rate


class Freight(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.heavy = Expert(0.7)
        self.light = Expert(0.2)  #~
        self.limit = limit

    def forward(self, goods):
        if goods.sum() > self.limit:  #!
            return self.heavy(goods)
        return self.light(goods)  #~


def shipments():
    base = torch.arange(1.0, 4.0)
    return [base * (1.0 + 0.5 * k) for k in range(4)]


def train(limit):
    model = Freight(limit)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    optimizer.zero_grad()
    for k, goods in enumerate(shipments()):
        cost = (model(goods) - 5.0 * (k + 1)).square() / 4
        cost.backward()
    optimizer.step()
    return {"model.light.rate": model.light.rate.grad, "model.heavy.rate": model.heavy.rate.grad}


def broken():
    return train(2.0)


def fixed():
    return train(10.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
