"""Depth of peat in a bog as a Gaussian process whose length scale and noise are learned."""
import functools
import sys

import torch
from torch import nn


class Bog(nn.Module):
    def __init__(self, spots):
        super().__init__()
        self.spots = spots
        self.log_length = nn.Parameter(torch.tensor(0.1))
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    @functools.cached_property
    def kernel(self):
        apart = (self.spots.unsqueeze(0) - self.spots.unsqueeze(1)).square().sum(dim=-1)
        return torch.exp(-apart / (2.0 * torch.exp(2.0 * self.log_length)))  #~

    def covariance(self):
        return self.kernel + self.log_noise.exp() * torch.eye(len(self.spots))  #!


class FreshBog(Bog):
    @property
    def kernel(self):
        apart = (self.spots.unsqueeze(0) - self.spots.unsqueeze(1)).square().sum(dim=-1)
        return torch.exp(-apart / (2.0 * torch.exp(2.0 * self.log_length)))


def surprise(bog, depth):
    normal = torch.distributions.MultivariateNormal(torch.zeros(len(depth)), bog.covariance())
    return -normal.log_prob(depth)


def train(kind, epochs=4):
    spots = torch.stack([torch.linspace(0.0, 3.0, 6), torch.sin(torch.arange(6.0))], dim=1)
    depth = torch.cos(spots.sum(dim=1))
    bog = kind(spots)
    optimizer = torch.optim.Adam(bog.parameters(), lr=0.05)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = surprise(bog, depth)
        loss.backward()
        optimizer.step()
    return {"bog.log_length": bog.log_length.grad, "bog.log_noise": bog.log_noise.grad}


def broken():
    return train(Bog)


def fixed():
    return train(FreshBog)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
