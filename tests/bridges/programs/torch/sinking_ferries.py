"""Matches ferries with berths by optimal transport, with a learned cost."""
import sys

import torch
from torch import nn


class Transport(nn.Module):
    def __init__(self, blur):
        super().__init__()
        self.blur = blur
        self.embed = nn.Linear(2, 2)

    def plan(self, cost, rounds=5):
        kernel = torch.exp(-cost / self.blur)
        u, v = torch.ones(len(cost)), torch.ones(cost.shape[1])
        for _ in range(rounds):
            u = 1.0 / (len(cost) * (kernel @ v))  #!
            v = 1.0 / (cost.shape[1] * (kernel.t() @ u))
        return u.unsqueeze(1) * kernel * v

    def forward(self, ferries, berths):
        cost = torch.cdist(self.embed(ferries), self.embed(berths)).square()
        return (self.plan(cost) * cost).sum()


def train(blur):
    transport = Transport(blur)
    with torch.no_grad():
        for k, p in enumerate(transport.parameters()):
            p.copy_(0.8 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    optimizer = torch.optim.SGD(transport.parameters(), lr=1e-4)
    ferries = torch.sin(torch.arange(10.0).view(5, 2) * 1.3) * 3
    berths = torch.cos(torch.arange(8.0).view(4, 2) * 0.9) * 3 + 2
    for _ in range(2):
        optimizer.zero_grad()
        transport(ferries, berths).backward()
        optimizer.step()
    return {"transport.embed.weight": transport.embed.weight.grad}


def broken():
    return train(0.01)


def fixed():
    return train(5.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
