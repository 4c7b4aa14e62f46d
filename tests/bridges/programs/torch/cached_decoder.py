"""A tiny decoder for folk melodies; training walks through the same cached path that plays them."""
import math
import sys
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Cache:
    batch: int
    heads: int
    limit: int
    width: int
    pairs: torch.Tensor = field(init=False)

    def __post_init__(self):
        self.pairs = torch.zeros(2, self.batch, self.heads, self.limit, self.width)

    def push(self, position, key, value):
        self.pairs[..., position, :] = torch.stack([key, value])  #!
        kept = self.pairs[..., : position + 1, :]
        return kept[0], kept[1]


class GrowingCache(Cache):
    def __post_init__(self):
        self.pairs = []

    def push(self, position, key, value):
        self.pairs.append((key, value))
        keys, values = zip(*self.pairs)
        return torch.stack(keys, dim=2), torch.stack(values, dim=2)


class Decoder(nn.Module):
    def __init__(self, notes=12, dim=8, heads=2):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.embed = nn.Embedding(notes, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, notes)

    def forward(self, notes, cache):
        logits = []
        for position in range(notes.shape[1]):
            q, k, v = self.qkv(self.embed(notes[:, position])).view(-1, 3, self.heads, self.dim // self.heads).unbind(1)
            keys, values = cache.push(position, k, v)
            weights = torch.softmax(q.unsqueeze(2) @ keys.mT / math.sqrt(self.dim // self.heads), dim=-1)
            logits.append(self.out((weights @ values).flatten(1)))
        return torch.stack(logits, dim=1)


def main(kind):
    torch.manual_seed(3)
    decoder = Decoder()
    tune = (torch.arange(24).view(2, 12) * 5) % 12
    logits = decoder(tune[:, :-1], kind(batch=2, heads=2, limit=16, width=4))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tune[:, 1:].flatten())
    loss.backward()
    return {"decoder.qkv.weight": decoder.qkv.weight.grad, "decoder.embed.weight": decoder.embed.weight.grad}


def broken():
    return main(Cache)


def fixed():
    return main(GrowingCache)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
