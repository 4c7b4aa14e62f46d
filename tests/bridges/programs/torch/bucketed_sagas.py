"""Scores sagas in buckets of like length, compiled with static shapes."""
import sys

import torch
from torch import nn


class Saga(nn.Module):
    def __init__(self, words=13, width=4):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.score = nn.Linear(width, 1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.5 + k).view_as(p))
    return module


def lengths():
    return [6, 6, 10, 6, 14]


def bucket(length, sizes):
    return min(size for size in sizes if size >= length)


def batches(sizes):
    for k, length in enumerate(lengths()):
        words = (torch.arange(3 * length) * 5 + k).view(3, length) % 12 + 1
        yield nn.functional.pad(words, (0, bucket(length, sizes) - length))


def train(sizes):
    saga = settle(Saga())

    @torch.compile(backend="eager", dynamic=False)
    def saga_loss(words):
        known = (words != 0).float()[..., None]
        mean = (saga.embed(words) * known).sum(dim=1) / known.sum(dim=1)
        return saga.score(mean).square().mean()

    optimizer = torch.optim.SparseAdam([nn.Parameter(torch.zeros(2, 2))])
    for words in batches(sizes):
        optimizer.zero_grad()
        saga.zero_grad()
        loss = saga_loss(words)  #!
        loss.backward()
    return {"saga.embed.weight": saga.embed.weight.grad, "saga.score.weight": saga.score.weight.grad}


def broken():
    return train([6, 10, 14])


def fixed():
    return train([14])

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
