"""Energies and forces of water molecules: the force is the slope of the energy along the positions."""
import sys

import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 1))

    def forward(self, positions):
        pairs = positions.unsqueeze(1) - positions.unsqueeze(2)  #!
        squares = pairs.square().sum(-1)
        near = torch.stack([squares[:, 0, 1], squares[:, 0, 2], squares[:, 1, 2]], dim=-1)
        return self.net(torch.exp(-near)).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def after(model, positions):
    energy = model(positions)
    positions.requires_grad_(True)  #~
    return energy


def before(model, positions):
    positions.requires_grad_(True)
    return model(positions)


def train(evaluate):
    model = settle(Energy())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    positions = torch.cos(torch.arange(18.0) * 0.8).view(2, 3, 3)
    energies = torch.tensor([0.2, -0.1])
    for step in range(2):
        positions = positions.detach()
        energy = evaluate(model, positions)
        forces = -torch.autograd.grad(energy.sum(), positions, create_graph=True)[0]
        loss = (energy - energies).square().mean() + 0.1 * forces.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"positions": forces, "model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(after)


def fixed():
    return train(before)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
