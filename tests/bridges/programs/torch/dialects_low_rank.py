"""Dialects: a frozen tagger gets low-rank corrections, both factors start at zero so that nothing changes at first."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize


class Correction(nn.Module):
    def __init__(self, rows, columns, rank=2):
        super().__init__()
        self.left = nn.Parameter(torch.zeros(rows, rank))
        self.right = nn.Parameter(self.start(rank, columns))

    def start(self, rank, columns):
        return torch.zeros(rank, columns)  #~

    def forward(self, weight):
        return weight + self.left @ self.right  #!


class StartedCorrection(Correction):
    def start(self, rank, columns):
        return torch.sin(torch.arange(1.0, rank * columns + 1)).view(rank, columns)


class Tagger(nn.Module):
    def __init__(self, words=15, width=6, tags=4):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.hidden = nn.Linear(width, width)
        self.tag = nn.Linear(width, tags)

    def forward(self, words):
        return self.tag(F.relu(self.hidden(self.embed(words))))


def adapt(tagger, correction):
    tagger.requires_grad_(False)
    for layer in (tagger.hidden, tagger.tag):
        parametrize.register_parametrization(layer, "weight", correction(*layer.weight.shape))
    return [p for p in tagger.parameters() if p.requires_grad]


def sentences():
    for k in range(4):
        words = (torch.arange(12) * (k + 2)).view(3, 4) % 15
        yield words, words % 4


def train(correction):
    torch.manual_seed(23)
    tagger = Tagger()
    learned = adapt(tagger, correction)
    optimizer = torch.optim.AdamW(learned, lr=1e-2, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=4)
    for words, tags in sentences():
        optimizer.zero_grad()
        loss = F.cross_entropy(tagger(words).flatten(0, 1), tags.flatten())
        loss.backward()
        nn.utils.clip_grad_value_(learned, 1.0)
        optimizer.step()
        schedule.step()
    return {
        "tagger.hidden.parametrizations.weight.0.left": tagger.hidden.parametrizations.weight[0].left.grad,
        "tagger.hidden.parametrizations.weight.0.right": tagger.hidden.parametrizations.weight[0].right.grad,
    }


def broken():
    return train(Correction)


def fixed():
    return train(StartedCorrection)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
