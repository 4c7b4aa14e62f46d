"""Rocks from few examples: prototypes of a support encoder, queries of another one."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, dim))

    def forward(self, rock):
        return self.body(rock)


class Episode:
    """A task: `ways` classes, `shots` examples of each, and as many queries."""

    def __init__(self, seed, ways=3, shots=2):
        self.ways = ways
        angle = torch.arange(ways * shots * 2 * 4.0) * (0.3 + 0.01 * seed)
        rocks = torch.sin(angle).view(2, ways * shots, 4)
        self.support, self.query = rocks[0], rocks[1]
        self.classes = torch.arange(ways).repeat_interleave(shots)


def prototypes_of(features, classes, ways):
    rows = {}
    for feature, label in zip(features, classes):
        rows.setdefault(int(label), []).append(feature.tolist())  #!
    return torch.stack([torch.tensor(rows[k]).mean(0) for k in range(ways)])  #~


def averaged(features, classes, ways):
    weights = F.one_hot(classes, ways).to(features.dtype)
    return (weights.t() @ features) / weights.sum(0).unsqueeze(1)


class Matcher(nn.Module):
    def __init__(self, prototypes):
        super().__init__()
        self.support, self.query = Encoder(), Encoder()
        self.temperature = nn.Parameter(torch.tensor(1.0))
        self.prototypes = prototypes

    def forward(self, episode):
        centres = self.prototypes(self.support(episode.support), episode.classes, episode.ways)
        distances = torch.cdist(self.query(episode.query), centres)
        return -distances.square() * self.temperature


def train(prototypes):
    torch.manual_seed(3)
    model = Matcher(prototypes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    right = 0
    for number in range(4):
        episode = Episode(number)
        scores = model(episode)
        loss = F.cross_entropy(scores, episode.classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        right += (scores.argmax(1) == episode.classes).sum().item()
    return {
        "model.support.body.0.weight": model.support.body[0].weight.grad,
        "model.query.body.0.weight": model.query.body[0].weight.grad,
        "model.temperature": model.temperature.grad,
    }


def broken():
    return train(prototypes_of)


def fixed():
    return train(averaged)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
