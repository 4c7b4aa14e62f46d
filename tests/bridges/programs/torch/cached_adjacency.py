"""Forecasts traffic on roads whose graph is learned as well."""
import functools
import sys

import torch
from torch import nn


class Roads(nn.Module):
    def __init__(self, roads=5, width=3):
        super().__init__()
        self.nodes = nn.Parameter(torch.sin(torch.arange(roads * width * 1.0)).view(roads, width))
        self.theta = nn.Linear(4, 1)

    def learned(self):
        return torch.softmax(torch.relu(self.nodes @ self.nodes.t()), dim=1)  #~

    @functools.cached_property
    def adjacency(self):
        return self.learned()

    def forward(self, past):
        return self.theta(self.adjacency @ past).squeeze(-1)  #!


class FreshRoads(Roads):
    @property
    def adjacency(self):
        return self.learned()


def train(kind, epochs=2):
    torch.manual_seed(15)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    past = torch.sin(torch.arange(20.0) * 0.4).view(5, 4)
    for _ in range(epochs):
        optimizer.zero_grad()
        (model(past) - past[:, -1]).abs().mean().backward()
        optimizer.step()
    return {"model.nodes": model.nodes.grad}


def broken():
    return train(Roads)


def fixed():
    return train(FreshRoads)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
