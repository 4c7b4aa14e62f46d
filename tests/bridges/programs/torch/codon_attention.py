"""Attention over codons, with a few heads, to predict how well a gene is expressed."""
import sys

import torch
from torch import nn


class HeadedAttention(nn.Module):
    def __init__(self, width=24, heads=6):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.mixed = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)


class LoopedAttention(HeadedAttention):
    def forward(self, codons):
        query, key, value = self.mixed(codons).chunk(3, dim=-1)
        results = []
        for head in range(self.heads):  #~
            part = slice(head * self.size, (head + 1) * self.size)
            scores = query[..., part] @ key[..., part].transpose(-1, -2) / self.size**0.5  #~
            results.append(torch.softmax(scores, dim=-1) @ value[..., part])  #!
        return self.join(torch.cat(results, dim=-1))  #~


class BatchedAttention(HeadedAttention):
    def forward(self, codons):
        batch, length, width = codons.shape
        parts = self.mixed(codons).view(batch, length, 3, self.heads, self.size)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / self.size**0.5
        return self.join((torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(batch, length, width))


class Expression(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.codons = nn.Embedding(64, 24)
        self.attend = attention()
        self.level = nn.Linear(24, 1)

    def forward(self, gene):
        codons = self.codons(gene)
        return self.level((codons + self.attend(codons)).mean(1)).squeeze(-1)


def train(attention, steps=3):
    torch.manual_seed(9)
    model = Expression(attention)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gene = torch.arange(40).reshape(4, 10) * 7 % 64
    level = torch.tensor([0.2, 0.5, 0.9, 0.1])
    for _ in range(steps):
        loss = (model(gene) - level).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.attend.mixed.weight": model.attend.mixed.weight.grad}


def broken():
    return train(LoopedAttention)


def fixed():
    return train(BatchedAttention)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
