"""Interpolates frost depths by inverse distances with a learned power; stations are also asked about themselves."""
import sys

import torch
from torch import nn


class InverseDistance(nn.Module):
    def __init__(self, places, depths, shift=0.0):
        super().__init__()
        self.register_buffer("places", places)
        self.register_buffer("depths", depths)
        self.stretch = nn.Parameter(torch.ones(2))
        self.power = nn.Parameter(torch.tensor(2.0))
        self.shift = shift

    def forward(self, where):
        apart = torch.cdist(where * self.stretch, self.places * self.stretch) + self.shift
        weights = apart ** -self.power  #!
        return (weights * self.depths).sum(dim=1) / weights.sum(dim=1)


def stations():
    k = torch.arange(6.0)
    return torch.stack([k.sin(), k.cos()], dim=1), 30 + 8 * torch.sin(2 * k)


def fit(shift):
    places, depths = stations()
    model = InverseDistance(places[:4], depths[:4], shift)
    optimizer = torch.optim.Rprop(model.parameters(), lr=0.01)
    for epoch in range(2):
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(places), depths)
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())
    return {"model.power": model.power.grad, "model.stretch": model.stretch.grad}


def broken():
    return fit(0.0)


def fixed():
    return fit(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
