"""Smooths the temperature of a cave system on a fixed map; the map's modes are computed for each batch."""
import sys

import torch
from torch import nn


def laplacian(passages, caves):
    adjacency = torch.zeros(caves, caves)
    for a, b in passages:
        adjacency[a, b] = adjacency[b, a] = 1.0
    return torch.diag(adjacency.sum(1)) - adjacency


class SpectralLayer(nn.Module):
    def __init__(self, passages, caves, modes=4):
        super().__init__()
        self.register_buffer("laplacian", laplacian(passages, caves))
        self.response = nn.Parameter(torch.linspace(1.0, 0.2, modes))
        self.modes = modes

    def basis(self):
        return torch.linalg.eigh(self.laplacian)[1][:, :self.modes]  #!

    def forward(self, warmth):
        basis = self.basis()
        return (warmth @ basis * self.response) @ basis.T


class PreparedLayer(SpectralLayer):
    def __init__(self, passages, caves, modes=4):
        super().__init__(passages, caves, modes)
        self.register_buffer("prepared", torch.linalg.eigh(self.laplacian)[1][:, :modes])

    def basis(self):
        return self.prepared


class CaveNet(nn.Module):
    def __init__(self, layer, passages, caves):
        super().__init__()
        self.smooth = layer(passages, caves)
        self.out = nn.Linear(caves, caves)
        nn.init.eye_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, warmth):
        return self.out(torch.relu(self.smooth(warmth)))


PASSAGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 4), (0, 5)]


def explore(layer, days=6):
    net = CaveNet(layer, PASSAGES, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for day in range(days):
        warmth = torch.sin(torch.arange(18.0) * 0.4 + day).view(3, 6)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(warmth), warmth.roll(1, 1))
        loss.backward()
        optimizer.step()
    return {"net.out.weight": net.out.weight.grad}


def broken():
    return explore(SpectralLayer)


def fixed():
    return explore(PreparedLayer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
