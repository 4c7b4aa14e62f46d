"""A graph network over mountain huts that is to learn which trails matter."""
import sys

import torch
from torch import nn


class Trails(nn.Module):
    """Scores for every pair of huts; those above a level are edges."""

    def __init__(self, huts):
        super().__init__()
        self.score = nn.Parameter(torch.cos(torch.arange(huts * huts) * 0.8).view(huts, huts))

    def edges(self):
        source, target = torch.nonzero(torch.sigmoid(self.score) > 0.5, as_tuple=True)  #!
        return source, target, torch.ones(len(source))


class WeightedTrails(Trails):
    def edges(self):
        strength = torch.sigmoid(self.score)
        source, target = torch.nonzero(strength.detach() > 0.5, as_tuple=True)
        return source, target, strength[source, target]


class Network(nn.Module):
    def __init__(self, trails, width=4):
        super().__init__()
        self.trails = trails
        self.message = nn.Linear(2, width)
        self.update = nn.Linear(width, 1)

    def forward(self, huts):
        source, target, weight = self.trails.edges()
        messages = torch.relu(self.message(huts))[source] * weight[:, None]
        heard = torch.zeros(len(huts), messages.shape[1]).scatter_add(0, target[:, None].expand_as(messages), messages)
        return self.update(heard).squeeze(1)


def train(kind):
    torch.manual_seed(0)
    network = Network(kind(5))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    huts = torch.stack([torch.linspace(0.9, 2.4, 5), torch.tensor([4.0, 8, 6, 2, 9])], dim=1)
    visitors = torch.tensor([40.0, 10, 25, 5, 60]) / 60
    for _ in range(3):
        loss = (network(huts) - visitors).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"network.trails.score": network.trails.score.grad, "network.message.weight": network.message.weight.grad}


def broken():
    return train(Trails)


def fixed():
    return train(WeightedTrails)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
