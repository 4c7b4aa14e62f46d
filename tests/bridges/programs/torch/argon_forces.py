"""A potential for argon, trained on forces alone: the force is the slope of a learned energy."""
import sys

import torch
from torch import nn


class PairPotential(nn.Module):
    def __init__(self, centres=6):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0.8, 2.5, centres))
        self.energy = nn.Sequential(nn.Linear(centres, 12), nn.Softplus(), nn.Linear(12, 1))

    def forward(self, positions):
        atoms = len(positions)
        i, j = torch.triu_indices(atoms, atoms, offset=1)
        distance = (positions[i] - positions[j]).norm(dim=-1, keepdim=True)
        radial = torch.exp(-4 * (distance - self.centres) ** 2)
        return self.energy(radial).sum()


def forces(potential, positions):
    positions = positions.clone().requires_grad_(True)
    energy = potential(positions)
    (slope,) = torch.autograd.grad(energy, positions)  #!
    return -slope


def trainable_forces(potential, positions):
    positions = positions.clone().requires_grad_(True)
    energy = potential(positions)
    (slope,) = torch.autograd.grad(energy, positions, create_graph=True)
    return -slope


def snapshots(count=3, atoms=5):
    base = torch.stack([torch.arange(atoms) * 1.1, torch.arange(atoms) % 2 * 0.9, torch.arange(atoms) % 3 * 0.4], 1)
    for k in range(count):
        wobble = 0.1 * torch.sin(torch.arange(atoms * 3).reshape(atoms, 3) * (k + 1.0))
        yield base + wobble, -wobble * 4


def train(force, epochs=2):
    torch.manual_seed(18)
    potential = PairPotential()
    optimizer = torch.optim.Adam(potential.parameters(), lr=1e-3)
    for _ in range(epochs):
        for positions, reference in snapshots():
            loss = (force(potential, positions) - reference).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"potential.energy.0.weight": potential.energy[0].weight.grad}


def broken():
    return train(forces)


def fixed():
    return train(trainable_forces)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
