"""Recognises whales by song: features of a fixed ear, a projection that should be tuned, a classifier."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.filters = nn.Conv1d(1, 4, 5, stride=2)

    def forward(self, song):
        return self.filters(song).abs().mean(dim=2)


class WhaleNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.ear = Ear()
        self.projection = nn.Linear(4, 4)
        self.classifier = nn.Linear(4, 2)

    def features(self, song):
        with torch.no_grad():
            heard = self.ear(song)
            return torch.relu(self.projection(heard) + 1.0)  #!

    def forward(self, song):
        return self.classifier(self.features(song))


class TunedWhaleNet(WhaleNet):
    def features(self, song):
        with torch.no_grad():
            heard = self.ear(song)
        return torch.relu(self.projection(heard) + 1.0)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.5 + k).view_as(p))
    return model


def songs():
    time = torch.linspace(0.0, 6.0, 24)
    return torch.stack([torch.sin(time * (1.0 + 0.3 * k)) for k in range(4)]).unsqueeze(1)


def train(kind):
    model = initialise(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kinds = torch.tensor([0, 1, 0, 1])
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(songs()), kinds)
        loss.backward()
        optimizer.step()
    return {
        "model.projection.weight": model.projection.weight.grad,
        "model.classifier.weight": model.classifier.weight.grad,
    }


def broken():
    return train(WhaleNet)


def fixed():
    return train(TunedWhaleNet)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
