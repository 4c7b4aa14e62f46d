"""Fits the masses of fragments of a comet by following their orbits."""
import sys

import torch
from torch import nn


def pull_plain(positions, masses):
    apart = positions[None] - positions[:, None]
    distance = apart.square().sum(dim=-1).sqrt() + torch.eye(len(positions))  #!
    return (masses[None, :, None] * apart / distance[..., None] ** 3).sum(dim=1)


def pull_soft(positions, masses):
    apart = positions[None] - positions[:, None]
    distance = (apart.square().sum(dim=-1) + torch.eye(len(positions))).sqrt()
    return (masses[None, :, None] * apart / distance[..., None] ** 3).sum(dim=1)


class Comet(nn.Module):
    def __init__(self, pull, fragments=3):
        super().__init__()
        self.pull = pull
        self.log_masses = nn.Parameter(torch.linspace(-1.0, 0.0, fragments))
        self.drift = nn.Parameter(0.1 * torch.sin(torch.arange(2.0 * fragments)).view(fragments, 2))
        angle = 2.1 * torch.arange(float(fragments))
        self.register_buffer("start", torch.stack([angle.cos(), 1.3 * angle.sin()], dim=1))

    def forward(self, steps, dt=0.1):
        x, v = self.start, self.drift
        track = []
        for _ in range(steps):
            v = v + dt * self.pull(x, self.log_masses.exp())
            x = x + dt * v
            track.append(x)
        return torch.stack(track)


def fit(pull):
    comet = Comet(pull)
    optimizer = torch.optim.Adam(comet.parameters(), lr=0.01)
    seen = torch.stack([comet.start * (1 - 0.05 * k) for k in range(1, 6)])
    for iteration in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(comet(5), seen)
        loss.backward()
        optimizer.step()
    return {"comet.log_masses": comet.log_masses.grad, "comet.drift": comet.drift.grad}


def broken():
    return fit(pull_plain)


def fixed():
    return fit(pull_soft)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
