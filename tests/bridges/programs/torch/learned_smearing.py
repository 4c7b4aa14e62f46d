"""Learns how strongly pictures of coins are to be blurred, so that one step on them helps most on clear ones."""
import sys

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call


class Smear(nn.Module):
    def __init__(self):
        super().__init__()
        self.strength = nn.Parameter(torch.tensor(0.3))

    def forward(self, coin):
        around = (coin.roll(1, -1) + coin.roll(-1, -1)) / 2
        share = torch.sigmoid(self.strength)
        return (1 - share) * coin + share * around


class Bilevel:
    def __init__(self, reader, smear, rate=0.2):
        self.reader, self.smear, self.rate = reader, smear, rate

    def slopes(self, loss, weights):
        return torch.autograd.grad(loss, weights)  #!

    def one_step(self, coin, kind):
        names = [name for name, _ in self.reader.named_parameters()]
        weights = [p for _, p in self.reader.named_parameters()]
        loss = F.cross_entropy(self.reader(self.smear(coin)), kind)
        moved = [w - self.rate * g for w, g in zip(weights, self.slopes(loss, weights))]
        return dict(zip(names, moved))

    def outer_loss(self, coin, kind, clear, clear_kind):
        return F.cross_entropy(functional_call(self.reader, self.one_step(coin, kind), (clear,)), clear_kind)


class WholeBilevel(Bilevel):
    def slopes(self, loss, weights):
        return torch.autograd.grad(loss, weights, create_graph=True)


def train(kind):
    reader = nn.Sequential(nn.Linear(6, 5), nn.Softplus(), nn.Linear(5, 3))
    with torch.no_grad():
        for k, p in enumerate(reader.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    smear = Smear()
    bilevel = kind(reader, smear)
    outer = torch.optim.Adam(smear.parameters(), lr=0.05)
    for step in range(2):
        coin = torch.sin(torch.arange(36.0).view(6, 6) * 0.5 + step)
        clear = torch.cos(torch.arange(36.0).view(6, 6) * 0.5 + step)
        outer.zero_grad()
        bilevel.outer_loss(coin, torch.arange(6) % 3, clear, torch.arange(6) % 3).backward()
        outer.step()
    return {"smear.strength": smear.strength.grad}


def broken():
    return train(Bilevel)


def fixed():
    return train(WholeBilevel)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
