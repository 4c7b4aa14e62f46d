"""Orbit of a comet: elements fitted to sightings; what is known well is held, the rest is free."""
import sys

import torch
from torch import nn


class Orbit(nn.Module):
    def __init__(self, held=("eccentricity",)):
        super().__init__()
        self.axis = nn.Parameter(torch.tensor(1.2))
        self.eccentricity = nn.Parameter(torch.tensor(0.2))
        self.anomaly = nn.Parameter(torch.tensor(0.1))
        for name, element in self.named_parameters():
            if any(name.startswith(prefix) for prefix in held):
                element.requires_grad_(False)  #!

    def forward(self, days):
        mean = self.anomaly + days * self.axis ** -1.5
        eccentric = mean
        for _ in range(4):
            eccentric = mean + self.eccentricity * torch.sin(eccentric)
        x = self.axis * (torch.cos(eccentric) - self.eccentricity)
        y = self.axis * torch.sqrt(1 - self.eccentricity**2) * torch.sin(eccentric)
        return torch.stack([x, y], dim=-1)


def sightings(count=10):
    days = torch.arange(count) * 0.3
    return days, torch.stack([torch.cos(days) - 0.2, 0.95 * torch.sin(days)], -1)


def determine(held, rounds=4):
    orbit = Orbit(held)
    free = [p for p in orbit.parameters() if p.requires_grad]
    optimizer = torch.optim.LBFGS(free, lr=0.5, max_iter=4)
    days, seen = sightings()

    def closure():
        optimizer.zero_grad()
        residual = (orbit(days) - seen).square().sum(-1)
        loss = nn.functional.huber_loss(residual, torch.zeros_like(residual))
        loss.backward()
        return loss

    for _ in range(rounds):
        optimizer.step(closure)
    return {"orbit.anomaly": orbit.anomaly.grad, "orbit.axis": orbit.axis.grad}


def broken():
    return determine(("ecc", "an"))  #~


def fixed():
    return determine(("ecc",))


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
