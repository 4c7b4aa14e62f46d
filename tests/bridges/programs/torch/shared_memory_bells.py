"""A memory network for bell patterns: slots are read by attention and written after each pattern."""
import sys

import torch
from torch import nn


class Slots(nn.Module):
    def __init__(self, slots=4, dim=5):
        super().__init__()
        self.write = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, slots)
        self.out = nn.Linear(dim, 1)
        self.register_buffer("memory", torch.zeros(slots, dim))

    def remember(self, pattern, share):
        self.memory = 0.9 * self.memory + share.t() @ self.write(pattern)  #!

    def forward(self, pattern):
        share = self.key(pattern).softmax(-1)
        read = share @ self.memory  #~
        self.remember(pattern, share)
        return self.out(read + pattern).squeeze(-1)


class CutSlots(Slots):
    def remember(self, pattern, share):
        self.memory = (0.9 * self.memory + share.t() @ self.write(pattern)).detach()


def ring(kind, rounds=3):
    torch.manual_seed(0)
    slots = kind()
    optimizer = torch.optim.Adam(slots.parameters(), lr=1e-3)
    for k in range(rounds):
        pattern = torch.sin(torch.arange(10.0) + k).view(2, 5)
        loss = (slots(pattern) - pattern.mean(1)).square().mean()
        loss.backward()
    optimizer.step()
    return {"slots.key.weight": slots.key.weight.grad}


def broken():
    return ring(Slots)


def fixed():
    return ring(CutSlots)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
