"""Photographs of petals against a bank of keys, two encoders."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Contrast(nn.Module):
    def __init__(self, size=12, width=5, warmth=0.2):
        super().__init__()
        self.query = nn.Linear(6, width)
        self.key = nn.Linear(6, width)
        self.warmth = warmth
        start = torch.sin(torch.arange(size * width, dtype=torch.float32)).view(size, width)
        self.register_buffer("bank", F.normalize(start, dim=1))

    def remember(self, slots, keys):
        with torch.no_grad():
            self.bank[slots] = keys  #!
        return self.bank.clone()

    def forward(self, petals, again, slots):
        q = F.normalize(self.query(petals), dim=1)
        k = F.normalize(self.key(again), dim=1)
        bank = self.remember(slots, k)
        return F.cross_entropy(q @ bank.t() / self.warmth, slots)


class LiveContrast(Contrast):
    def remember(self, slots, keys):
        bank = self.bank.index_copy(0, slots, keys)
        self.bank = bank.detach()
        return bank


def views(batch):
    t = torch.arange(24, dtype=torch.float32).view(4, 6) + 24 * batch
    return torch.sin(t * 0.3), torch.sin(t * 0.3 + 0.05)


def train(kind):
    torch.manual_seed(21)
    petal_net = kind()
    optimizer = torch.optim.SGD(petal_net.parameters(), lr=0.1)
    for batch in range(3):
        slots = torch.arange(4 * batch, 4 * batch + 4)
        optimizer.zero_grad()
        loss = petal_net(*views(batch), slots)
        loss.backward()
        optimizer.step()
    return {"petal_net.key.weight": petal_net.key.weight.grad, "petal_net.query.weight": petal_net.query.weight.grad}


def broken():
    return train(Contrast)


def fixed():
    return train(LiveContrast)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
