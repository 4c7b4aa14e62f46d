"""Reads sentences of different length with a root-mean-square norm of one's own."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class RootMeanSquare(nn.Module):
    def __init__(self, width, floor):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.floor = floor

    def forward(self, x):
        power = x.pow(2).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(power + self.floor) * self.scale  #!


class Sentences(nn.Module):
    def __init__(self, floor, words=9, width=4):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.norm = RootMeanSquare(width, floor)
        self.mood = nn.Linear(width, 2)

    def forward(self, words):
        present = (words != 0).unsqueeze(-1)
        h = self.norm(self.embed(words))
        pooled = (h * present).sum(dim=1) / present.sum(dim=1)
        return self.mood(pooled)


def padded(sentences):
    return nn.utils.rnn.pad_sequence([torch.tensor(s) for s in sentences], batch_first=True)


def train(floor):
    model = Sentences(floor)
    with torch.no_grad():
        model.embed.weight[1:].copy_(torch.sin(torch.arange(32.0).view(8, 4)))
        model.embed.weight[0].zero_()
        model.mood.weight.copy_(torch.linspace(-0.5, 0.5, 8).view(2, 4))
        model.mood.bias.zero_()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for words in (padded([[1, 2, 3], [4, 5, 6]]), padded([[7, 8], [2, 5, 1, 3]])):
        loss = F.cross_entropy(model(words), torch.tensor([0, 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.embed.weight": model.embed.weight.grad, "model.norm.scale": model.norm.scale.grad}


def broken():
    return train(0.0)


def fixed():
    return train(1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
