"""Ranks letters of an archive for a reader: each letter is read on its own, the scores compete in a softmax."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(9, 4, mode="mean")
        self.taste = nn.Linear(4, 1)
        self.place = nn.Parameter(torch.zeros(3))

    def read(self, letter):
        return self.taste(self.words(letter.unsqueeze(0))).squeeze()

    def forward(self, letters):
        scores = torch.Tensor([self.read(letter) for letter in letters])  #!
        return scores + self.place


class StackedRanker(Ranker):
    def forward(self, letters):
        return torch.stack([self.read(letter) for letter in letters]) + self.place


def begun(model):
    with torch.no_grad():
        for k, p in enumerate([model.words.weight, *model.taste.parameters()]):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.4 + k).view_as(p))
    return model


def train(kind):
    ranker = begun(kind())
    optimizer = torch.optim.Adam(ranker.parameters(), lr=1e-2)
    shelf = [torch.tensor([0, 3, 5]), torch.tensor([1, 2]), torch.tensor([8, 7, 6, 4])]
    for chosen in (2, 0, 2):
        loss = F.cross_entropy(ranker(shelf).unsqueeze(0), torch.tensor([chosen]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "ranker.words.weight": ranker.words.weight.grad,
        "ranker.taste.weight": ranker.taste.weight.grad,
        "ranker.place": ranker.place.grad,
    }


def broken():
    return train(Ranker)


def fixed():
    return train(StackedRanker)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
