"""Colours of quasars as a mixture of Gaussians, fitted by gradient."""
import sys

import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, parts=3, colours=4):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(parts))
        self.mean = nn.Parameter(torch.cos(torch.arange(parts * colours).reshape(parts, colours) * 0.8))
        self.log_width = nn.Parameter(torch.full((parts,), -1.0))

    def distances(self, colours):
        width = self.log_width.exp()
        return ((colours.unsqueeze(1) - self.mean) / width.unsqueeze(-1)).square().sum(-1)

    def log_likelihood(self, colours):
        raise NotImplementedError


class DirectMixture(Mixture):
    def log_likelihood(self, colours):
        density = torch.exp(-0.5 * self.distances(colours)) / self.log_width.exp() ** 4
        return torch.log((torch.softmax(self.weight, 0) * density).sum(1))  #!


class LogMixture(Mixture):
    def log_likelihood(self, colours):
        logs = -0.5 * self.distances(colours) - 4 * self.log_width
        return torch.logsumexp(torch.log_softmax(self.weight, 0) + logs, dim=1)


def catalogue(count=15):
    colours = torch.sin(torch.arange(count * 4).reshape(count, 4) * 0.6)
    colours[7] += 12.0  # a quasar that dust reddens
    return colours


def fit(kind, steps=2):
    mixture = kind()
    optimizer = torch.optim.Adam(mixture.parameters(), lr=0.02)
    colours = catalogue()
    for _ in range(steps):
        loss = -mixture.log_likelihood(colours).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"mixture.mean": mixture.mean.grad}


def broken():
    return fit(DirectMixture)


def fixed():
    return fit(LogMixture)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
