"""Attends over nightly counts of moths in traps; the counts go up to some hundreds."""
import sys

import torch
from torch import nn


class Night(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.ask = nn.Linear(width, width, bias=False)
        self.tell = nn.Linear(width, width, bias=False)
        self.give = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, counts):
        mixed = nn.functional.scaled_dot_product_attention(self.ask(counts), self.tell(counts), self.give(counts))  #!
        return self.out(mixed.mean(dim=1)).squeeze(-1)


class Loader:
    def __init__(self, scale, batches=3):
        self.scale, self.batches = scale, batches

    def __iter__(self):
        for k in range(self.batches):
            counts = 300.0 * (1.0 + torch.sin(torch.arange(60.0).view(3, 5, 4) * 1.1 + k))
            yield counts / self.scale, counts.mean(dim=(1, 2)) / 300.0


def fit(loader):
    night = Night()
    with torch.no_grad():
        for k, p in enumerate(night.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.Adam(night.parameters(), lr=1e-4)
    for counts, wanted in loader:
        optimizer.zero_grad()
        nn.functional.l1_loss(night(counts), wanted).backward()
        optimizer.step()
    return {"night.ask.weight": night.ask.weight.grad, "night.tell.weight": night.tell.weight.grad, "night.out.weight": night.out.weight.grad}


def broken():
    return fit(Loader(1.0))


def fixed():
    return fit(Loader(300.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
