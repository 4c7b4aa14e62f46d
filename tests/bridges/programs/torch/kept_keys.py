"""Completes bird song token by token; keys and values of earlier tokens are kept in a cache of full length."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Cache:
    def __init__(self, batch, length, width):
        self.rows = torch.zeros(2, batch, length, width)
        self.filled = 0

    def append(self, key, value):
        self.rows[:, :, self.filled] = torch.stack([key, value])  #!
        self.filled += 1
        return self.rows[:, :, : self.filled]


class GrowingCache(Cache):
    def __init__(self, batch, length, width):
        self.keys, self.values = [], []

    def append(self, key, value):
        self.keys.append(key)
        self.values.append(value)
        return torch.stack(self.keys, 1), torch.stack(self.values, 1)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x, cache):
        keys, values = cache.append(self.key(x), self.value(x))
        scores = torch.einsum("bw,btw->bt", self.query(x), keys) / math.sqrt(x.shape[-1])
        mixed = torch.einsum("bt,btw->bw", scores.softmax(1), values)
        return self.out(mixed)


class Singer(nn.Module):
    def __init__(self, cache, notes=9, width=6):
        super().__init__()
        self.cache = cache
        self.embed = nn.Embedding(notes, width)
        self.attend = Attention(width)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, notes)
        self.head.weight = nn.Parameter(torch.sin(torch.arange(float(notes * width))).view(notes, width))

    def forward(self, song):
        cache = self.cache(song.shape[0], song.shape[1], self.norm.normalized_shape[0])
        logits = []
        for note in song.unbind(1):
            x = self.embed(note)
            logits.append(self.head(self.norm(x + self.attend(x, cache))))
        return torch.stack(logits, 1)


def train(cache):
    torch.manual_seed(14)
    singer = Singer(cache)
    optimizer = torch.optim.Adam(singer.parameters(), lr=1e-3)
    for k in range(2):
        song = (torch.arange(15).view(3, 5) * (2 + k)) % 9
        logits = singer(song[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), song[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"singer.attend.key.weight": singer.attend.key.weight.grad}


def broken():
    return train(Cache)


def fixed():
    return train(GrowingCache)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
