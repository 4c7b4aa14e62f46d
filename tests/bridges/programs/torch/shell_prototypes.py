"""Few-shot recognition of shells: a class is the mean of its support examples, kept for the queries."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Prototypes(nn.Module):
    def __init__(self, ways, dim):
        super().__init__()
        self.register_buffer("centres", torch.zeros(ways, dim))

    def set(self, vectors, labels):
        for way in range(len(self.centres)):
            mean = vectors[labels == way].mean(dim=0)
            with torch.no_grad():  #~
                self.centres[way] = mean  #!

    def forward(self, queries):
        return -torch.cdist(queries, self.centres).square()


class LivePrototypes(Prototypes):
    def set(self, vectors, labels):
        self.live = torch.stack([vectors[labels == way].mean(dim=0) for way in range(len(self.centres))])

    def forward(self, queries):
        return -torch.cdist(queries, self.live).square()


class ShellNet(nn.Module):
    def __init__(self, prototypes, ways=3, dim=4):
        super().__init__()
        self.shape = nn.Sequential(nn.Linear(5, 8), nn.ELU(), nn.Linear(8, dim))
        self.colour = nn.Linear(5, dim)
        self.prototypes = prototypes(ways, dim)

    def support(self, shells, labels):
        self.prototypes.set(F.normalize(self.shape(shells), dim=1), labels)

    def forward(self, shells):
        return self.prototypes(self.colour(shells))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def episodes(count):
    for k in range(count):
        shells = torch.sin(torch.arange(60.0) * (0.3 + 0.1 * k)).view(12, 5)
        yield shells[:6], torch.arange(6) % 3, shells[6:], torch.arange(6) % 3


def train(prototypes):
    model = settle(ShellNet(prototypes))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    correct = 0
    for support, ways, queries, truth in episodes(4):
        model.support(support, ways)
        scores = model(queries)
        loss = F.cross_entropy(scores, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (scores.argmax(dim=1) == truth).sum().item()
    return {"model.shape.0.weight": model.shape[0].weight.grad, "model.colour.weight": model.colour.weight.grad}


def broken():
    return train(Prototypes)


def fixed():
    return train(LivePrototypes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
