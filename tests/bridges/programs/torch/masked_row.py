"""Attention over stops of a bus line; some lines have no stop within reach."""
import sys

import torch
from torch import nn


class Reach(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, lines, stops, reachable):
        scores = self.query(lines) @ self.key(stops).T / 2.0
        scores = scores.masked_fill(~reachable, float("-inf"))
        weights = torch.softmax(scores, dim=1)  #!
        return self.out(weights @ stops).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(last_is_reachable):
    model = settle(Reach())
    lines, stops = torch.sin(torch.arange(12.0)).view(3, 4), torch.cos(torch.arange(20.0)).view(5, 4)
    reachable = torch.tensor([[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, int(last_is_reachable)]]).bool()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (model(lines, stops, reachable) - 1.0).square().mean()
        loss.backward()
        optimizer.step()
    return {"model.query.weight": model.query.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
