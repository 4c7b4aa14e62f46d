"""Learns a mixture of herbs, of which the first must stay out."""
import sys

import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.shares = nn.Parameter(torch.linspace(0.1, 0.5, 5))

    def forward(self, oils):
        return oils @ self.shares


def forbid(mixture, herb):
    mixture.shares[herb] = 0.0  #!


def forbid_quietly(mixture, herb):
    with torch.no_grad():
        mixture.shares[herb] = 0.0


def blend(rule):
    mixture = Mixture()
    optimizer = torch.optim.Adam(mixture.parameters(), lr=0.02)
    oils, scent = torch.cos(torch.arange(20.0)).view(4, 5), torch.linspace(0.0, 1.0, 4)
    seen = torch.zeros(5)
    for round_ in range(3):
        rule(mixture, 0)
        seen[round_] = 1.0
        optimizer.zero_grad()
        (mixture(oils) - scent).square().sum().backward()
        optimizer.step()
    return {"mixture.shares": mixture.shares.grad}


def broken():
    return blend(forbid)


def fixed():
    return blend(forbid_quietly)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
