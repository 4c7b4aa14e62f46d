"""Trains a model of a vault's ribs against both loads; the worst case is what counts."""
import sys

import torch
from torch import nn


class Vault(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 6), nn.SiLU())
        self.wind = nn.Linear(6, 1)
        self.snow = nn.Linear(6, 1)

    def forward(self, rib):
        hidden = self.trunk(rib)
        return {"wind": self.wind(hidden).squeeze(-1), "snow": self.snow(hidden).squeeze(-1)}


def case_losses(forces, targets):
    return {name: (forces[name] - targets[name]).square().mean() for name in forces}  #!


def harder(losses):
    return max(losses.values())  #~


def all_of(losses):
    return torch.logsumexp(torch.stack(list(losses.values())), dim=0)


def train(combine, steps=3):
    vault = Vault()
    with torch.no_grad():
        for k, p in enumerate(vault.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    rib = torch.cos(torch.arange(24.0).view(8, 3) * 0.37)
    targets = {"wind": 4.0 + rib[:, 0], "snow": 0.2 * rib[:, 1]}
    optimizer = torch.optim.RMSprop(vault.parameters(), lr=1e-3)
    for step in range(steps):
        losses = case_losses(vault(rib), targets)
        loss = combine(losses)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == steps - 1:
            print({name: round(value.item(), 3) for name, value in losses.items()})
    return {"vault.snow.weight": vault.snow.weight.grad, "vault.wind.weight": vault.wind.weight.grad}


def broken():
    return train(harder)


def fixed():
    return train(all_of)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
