"""Attention over songs of different length; one song of the batch is empty."""
import math
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Listener(nn.Module):
    def __init__(self, notes=9, width=4):
        super().__init__()
        self.embed = nn.Embedding(notes, width, padding_idx=0)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, 2)

    def weights(self, scores, padding):
        return torch.softmax(scores.masked_fill(padding, float("-inf")), dim=-1)  #!

    def forward(self, songs):
        x = self.embed(songs)
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.shape[-1])
        padding = (songs == 0).unsqueeze(1).expand_as(scores)
        y = self.weights(scores, padding) @ self.value(x)
        return self.out(y.mean(dim=1))


class RightListener(Listener):
    def weights(self, scores, padding):
        return torch.softmax(scores.masked_fill(padding, -1e4), dim=-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    batches = [torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0]]), torch.tensor([[6, 7, 8, 1], [0, 0, 0, 0]])]
    for songs in batches:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(songs), torch.tensor([0, 1]))
        loss.backward()
        optimizer.step()
    return {"model.out.weight": model.out.weight.grad}


def broken():
    return train(Listener)


def fixed():
    return train(RightListener)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
