"""Chooses a ferry route by scores and is to learn the scores from the fares."""
import sys

import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, ports=4, routes=3):
        super().__init__()
        self.score = nn.Linear(ports, routes, bias=False)
        self.score.weight = nn.Parameter(0.4 * torch.sin(torch.arange(1.0 * ports * routes)).view(routes, ports))
        self.fare = nn.Parameter(torch.tensor([3.0, 2.0, 4.0]))
        self.register_buffer("comfort", torch.tensor([1.0, 0.6, 1.4]))

    def hard(self, demand):
        return self.fare[(self.score(demand) * self.comfort).argmax(dim=1)]  #!

    def soft(self, demand):
        return torch.softmax(self.score(demand) * self.comfort, dim=1) @ self.fare


def train(pay):
    router = Router()
    demand = torch.cos(torch.arange(24.0) * 0.6).view(6, 4)
    budget = torch.full((6,), 1.0)
    optimizer = torch.optim.Adam(router.parameters(), lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        over = torch.relu(pay(router, demand) - budget).mean()
        over = over + 1e-3 * router.fare.square().sum()
        over.backward()
        optimizer.step()
    return {"router.score.weight": router.score.weight.grad, "router.fare": router.fare.grad}


def broken():
    return train(Router.hard)


def fixed():
    return train(Router.soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
