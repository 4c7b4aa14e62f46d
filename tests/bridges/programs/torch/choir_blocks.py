"""A block of a transformer whose attention weights are cut by a mask before they are used."""
import math
import sys

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width=6, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def cut(self, weights, mask):
        weights *= mask  #!
        return weights

    def forward(self, x, mask):
        n, t, w = x.shape
        q, k, v = self.mix(x).view(n, t, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.size), dim=-1)
        y = self.cut(weights, mask) @ v
        return self.out(y.transpose(1, 2).reshape(n, t, w))


class RightAttention(Attention):
    def cut(self, weights, mask):
        return weights * mask


class Block(nn.Module):
    def __init__(self, attention, width=6):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = attention(width)
        self.feed = nn.Sequential(nn.Linear(width, 12), nn.GELU(), nn.Linear(12, width))

    def forward(self, x, mask):
        x = x + self.attention(self.first(x), mask)
        return x + self.feed(self.second(x))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(attention):
    model = settle(Block(attention))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    notes = torch.sin(torch.arange(2 * 4 * 6) * 0.3).view(2, 4, 6)
    mask = torch.tril(torch.ones(4, 4))
    for _ in range(2):
        loss = (model(notes, mask) - notes.roll(1, dims=1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.attention.mix.weight": model.attention.mix.weight.grad}


def broken():
    return train(Attention)


def fixed():
    return train(RightAttention)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
