"""Scores essays; the loss of each is weighted by its length."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Essays(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(20, 5)
        self.grade = nn.Linear(5, 4)

    def forward(self, words, offsets):
        return self.grade(self.words(words, offsets))


def weighted(scores, grades, lengths):
    return F.cross_entropy(scores, grades, reduction="none") * lengths / lengths.sum()  #!


def summed(scores, grades, lengths):
    return (F.cross_entropy(scores, grades, reduction="none") * lengths / lengths.sum()).sum()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(criterion):
    model = settle(Essays())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    words, offsets = torch.arange(30) * 7 % 20, torch.tensor([0, 4, 11, 19])
    lengths, grades = torch.tensor([4.0, 7.0, 8.0, 11.0]), torch.tensor([0, 3, 1, 2])
    for _ in range(2):
        optimizer.zero_grad()
        criterion(model(words, offsets), grades, lengths).backward()
        optimizer.step()
    return {"model.grade.weight": model.grade.weight.grad}


def broken():
    return train(weighted)


def fixed():
    return train(summed)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
