"""Normalises rewards of an episode by their spread; the last episode has one step."""
import sys

import torch
from torch import nn


class Value(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.SiLU(), nn.Linear(4, 1))

    def forward(self, states):
        return self.net(states).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def normalised(returns, correction):
    spread = returns.std(correction=correction)  #!
    return (returns - returns.mean()) / (spread + 1e-5)


def train(correction):
    value = settle(Value())
    optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
    episodes = [torch.sin(torch.arange(10.0)).view(5, 2), torch.cos(torch.arange(8.0)).view(4, 2), torch.ones(1, 2)]
    for states in episodes:
        returns = normalised(states.sum(dim=1), correction)
        loss = (value(states) - returns).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"value.net.0.weight": value.net[0].weight.grad}


def broken():
    return train(1)


def fixed():
    return train(0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
