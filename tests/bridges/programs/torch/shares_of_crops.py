"""Shares of crops on a farm: profit, and an entropy so that not all is sown with one crop."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Farm(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.raw = nn.Parameter(torch.tensor([0.8, -0.1, 0.4, 0.3]))
        self.least = least

    def shares(self):
        sown = F.relu(self.raw) + self.least
        return sown / sown.sum()

    def variety(self):
        p = self.shares()
        return -torch.xlogy(p, p).sum()  #!

    def profit(self, prices):
        return (self.shares() * prices).sum()


def train(least):
    model = Farm(least)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = -model.profit(torch.tensor([1.0, 1.4, 0.9, 1.1])) - 0.1 * model.variety()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return {"model.raw": model.raw.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
