"""Learns the ties of a small social network from the spectrum of its Laplacian."""
import sys

import torch
from torch import nn


class Ties(nn.Module):
    """Symmetric weights, all alike at the start."""

    def __init__(self, people=5, start=0.0):
        super().__init__()
        rows, columns = torch.triu_indices(people, people, offset=1)
        self.people, self.rows, self.columns = people, rows, columns
        self.logits = nn.Parameter(start * torch.sin(torch.arange(len(rows)) * 1.7))

    def adjacency(self):
        weights = torch.zeros(self.people, self.people)
        weights = weights.index_put((self.rows, self.columns), torch.sigmoid(self.logits))
        return weights + weights.T

    def laplacian(self):
        ties = self.adjacency()
        return torch.diag(ties.sum(1)) - ties


def embedding(laplacian, size=2):
    """The smoothest patterns on the network, without the constant one."""
    values, vectors = torch.linalg.eigh(laplacian)  #!
    return values[1 : size + 1], vectors[:, 1 : size + 1]


def observed(people=5):
    place = torch.arange(people, dtype=torch.float32)
    return torch.stack([torch.cos(place), torch.sin(place)], 1), torch.tensor([0.6, 1.4])


def fit(start, steps=1):
    ties = Ties(start=start)
    optimizer = torch.optim.SGD(ties.parameters(), lr=0.01)
    pattern, spectrum = observed()
    for _ in range(steps):
        values, vectors = embedding(ties.laplacian())
        aligned = (vectors @ vectors.T @ pattern - pattern).square().mean()
        loss = (values - spectrum).square().mean() + aligned
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"ties.logits": ties.logits.grad}


def broken():
    return fit(0.0)  #~


def fixed():
    return fit(0.5)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
