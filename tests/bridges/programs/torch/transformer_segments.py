"""Reads long logbooks in segments; each block remembers the hidden states of the segment before."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Causal attention over memory and segment, with a learned bias for the distance."""

    def __init__(self, dim, heads, reach):
        super().__init__()
        self.heads, self.reach = heads, reach
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.distance = nn.Parameter(torch.zeros(heads, 2 * reach))

    def bias(self, queries, keys):
        offset = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)[None, :]
        table = self.distance.data  #!
        bias = table[:, offset.clamp(0, table.shape[1] - 1)]
        return bias.masked_fill(offset < 0, -math.inf)

    def forward(self, x, memory):
        context = x if memory is None else torch.cat([memory, x], dim=1)
        q = self.qkv(x).chunk(3, dim=-1)[0]
        _, k, v = self.qkv(context).chunk(3, dim=-1)
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        bias = self.bias(x.shape[1], context.shape[1])
        mixed = F.scaled_dot_product_attention(split(q), split(k), split(v), attn_mask=bias)
        return self.out(mixed.transpose(1, 2).flatten(2))


class TrackedAttention(Attention):
    def bias(self, queries, keys):
        offset = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)[None, :]
        table = self.distance
        bias = table[:, offset.clamp(0, table.shape[1] - 1)]
        return bias.masked_fill(offset < 0, -math.inf)


class Logbook(nn.Module):
    def __init__(self, attention, words=9, dim=8):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.attention = attention(dim, 2, 4)
        self.norm = nn.LayerNorm(dim)
        self.next = nn.Linear(dim, words)
        self.memory = None

    def forward(self, tokens):
        x = self.embed(tokens)
        h = self.norm(x + self.attention(x, self.memory))
        self.memory = x.detach()
        return self.next(h)


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "distance" not in name and "norm" not in name:
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(attention):
    model = settle(Logbook(attention))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    text = (torch.arange(2 * 17) * 5 % 9).view(2, 17)
    for start in range(0, 16, 4):
        tokens, following = text[:, start:start + 4], text[:, start + 1:start + 5]
        loss = F.cross_entropy(model(tokens).transpose(1, 2), following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.attention.distance": model.attention.distance.grad,
        "model.attention.qkv.weight": model.attention.qkv.weight.grad,
    }


def broken():
    return train(Attention)


def fixed():
    return train(TrackedAttention)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
