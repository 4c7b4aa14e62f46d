"""Learns the energy of a pendulum and compares the force that follows from it."""
import sys

import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 8), nn.Linear(8, 8), nn.Linear(8, 1)])

    def forward(self, state):
        for layer in self.layers[:-1]:
            state = torch.tanh(layer(state))
        return self.layers[-1](state).sum()


class Field:
    """The symplectic gradient of a learned energy."""

    def __init__(self, energy):
        self.energy = energy

    def slope(self, state):
        return torch.autograd.grad(self.energy(state), state)[0]  #!

    def __call__(self, state):
        state = state.detach().requires_grad_(True)
        d_angle, d_momentum = self.slope(state).unbind(dim=-1)
        return torch.stack([d_momentum, -d_angle], dim=-1)


class OpenField(Field):
    def slope(self, state):
        return torch.autograd.grad(self.energy(state), state, create_graph=True)[0]


def swings(count=6):
    angle = torch.linspace(-1.0, 1.0, count)
    momentum = 0.5 * torch.cos(3.0 * angle)
    return torch.stack([angle, momentum], dim=-1), torch.stack([momentum, -angle.sin()], dim=-1)


def train(kind):
    energy = Energy()
    with torch.no_grad():
        for k, p in enumerate(energy.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    field = kind(energy)
    optimizer = torch.optim.Adam(energy.parameters(), lr=1e-3)
    state, change = swings()
    for _ in range(2):
        optimizer.zero_grad()
        loss = (field(state) - change).square().mean()
        loss.backward()
        optimizer.step()
    return {"energy.layers.0.weight": energy.layers[0].weight.grad, "energy.layers.1.weight": energy.layers[1].weight.grad}


def broken():
    return train(Field)


def fixed():
    return train(OpenField)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
