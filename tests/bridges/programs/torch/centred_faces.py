"""Recognises carved faces: cross entropy and the distance to a learned centre of each class."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Centres(nn.Module):
    def __init__(self, classes, dim):
        super().__init__()
        centres = torch.linspace(-1, 1, classes * dim).view(classes, dim)  #!
        self.register_buffer("centres", centres)

    def forward(self, vectors, kinds):
        return (vectors - self.centres[kinds]).square().sum(dim=1).mean()


class LearnedCentres(Centres):
    def __init__(self, classes, dim):
        super().__init__(classes, dim)
        start = self.centres
        del self.centres
        self.centres = nn.Parameter(start)


class Carver(nn.Module):
    def __init__(self, pixels=9, dim=3, classes=4):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(pixels, 10), nn.PReLU(), nn.Linear(10, dim))
        self.classify = nn.Linear(dim, classes)

    def forward(self, faces):
        vectors = self.embed(faces)
        return vectors, self.classify(vectors)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.numel() > 1:
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(Carver())
    criterion = kind(classes=4, dim=3)
    optimizer = torch.optim.SGD([
        {"params": model.parameters()},
        {"params": criterion.parameters(), "lr": 0.5},
    ], lr=0.05)
    faces, kinds = torch.cos(torch.arange(108.0) * 0.4).view(12, 9), torch.arange(12) % 4
    for epoch in range(3):
        vectors, scores = model(faces)
        loss = F.cross_entropy(scores, kinds) + 0.01 * criterion(vectors, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"criterion.centres": criterion.centres.grad, "model.embed.2.weight": model.embed[2].weight.grad}


def broken():
    return train(Centres)


def fixed():
    return train(LearnedCentres)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
