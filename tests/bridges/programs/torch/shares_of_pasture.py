"""Shares a pasture among herds: a softmax by hand, with a learned taste for each kind of grass."""
import sys

import torch
from torch import nn


def shares(score):
    e = torch.exp(score - score.amax(dim=-1, keepdim=True))
    e /= e.sum(dim=-1, keepdim=True)  #!
    return e


def shares_anew(score):
    e = torch.exp(score - score.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


class Herds(nn.Module):
    def __init__(self, softmax):
        super().__init__()
        self.taste = nn.Linear(4, 3)
        self.softmax = softmax

    def forward(self, grass):
        return self.softmax(self.taste(grass))


def train(softmax):
    herds = Herds(softmax)
    with torch.no_grad():
        for k, p in enumerate(herds.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.SGD(herds.parameters(), lr=0.1)
    grass = torch.cos(torch.arange(20.0).view(5, 4) * 0.4)
    eaten = torch.tensor([0.5, 0.3, 0.2])
    for _ in range(2):
        optimizer.zero_grad()
        loss = (herds(grass) - eaten).square().sum(dim=-1).mean()
        loss.backward()
        optimizer.step()
    return {"herds.taste.weight": herds.taste.weight.grad}


def broken():
    return train(shares)


def fixed():
    return train(shares_anew)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
