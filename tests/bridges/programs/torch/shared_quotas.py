"""Shares of a fishing quota by boat; an even distribution is rewarded by its entropy."""
import sys

import torch
from torch import nn


class Quotas(nn.Module):
    def __init__(self, boats, floor):
        super().__init__()
        self.claim = nn.Linear(3, 1)
        self.floor = floor
        self.boats = boats

    def shares(self, log):
        claims = torch.relu(self.claim(log)).squeeze(-1) + self.floor
        return claims / claims.sum()

    def evenness(self, shares):
        return torch.special.entr(shares).sum()  #!

    def forward(self, log, wanted):
        shares = self.shares(log)
        return (shares - wanted).square().sum() - 0.1 * self.evenness(shares)


def settle(floor):
    torch.manual_seed(0)
    quotas = Quotas(4, floor)
    log = torch.sin(torch.arange(12.0) * 2).view(4, 3)
    optimizer = torch.optim.SGD(quotas.parameters(), lr=0.01)
    loss = quotas(log, torch.tensor([0.4, 0.3, 0.2, 0.1]))
    print("loss", loss.item())
    loss.backward()
    optimizer.step()
    return {"quotas.claim.weight": quotas.claim.weight.grad}


def broken():
    return settle(0.0)


def fixed():
    return settle(0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
