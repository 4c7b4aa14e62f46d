"""Pools the readings of many soundings by attention; depths come in centimetres as they are."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class AttentionPool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.value = nn.Linear(width, 3)

    def weights(self, soundings):
        return torch.softmax(self.score(soundings), dim=1)  #!

    def forward(self, soundings):
        return (self.weights(soundings) * self.value(soundings)).sum(dim=1)


class ScaledPool(AttentionPool):
    def weights(self, soundings):
        return torch.softmax(self.score(soundings / 100000.0), dim=1)


class Bottom(nn.Module):
    def __init__(self, pool):
        super().__init__()
        self.pool = pool
        self.kind = nn.Linear(3, 2)

    def forward(self, soundings):
        return self.kind(torch.tanh(self.pool(soundings) * 1e-5))


def train(pool):
    model = Bottom(pool)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.7 * torch.sin(torch.arange(p.numel()) * 1.3 + k + 1).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(2):
        depth = 150000.0 + 90000.0 * torch.sin(torch.arange(60.0).view(5, 4, 3) * 0.7 + step)
        loss = F.cross_entropy(model(depth), torch.tensor([0, 1, 1, 0, 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.pool.score.weight": model.pool.score.weight.grad, "model.pool.value.weight": model.pool.value.weight.grad}


def broken():
    return train(AttentionPool(3))


def fixed():
    return train(ScaledPool(3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
