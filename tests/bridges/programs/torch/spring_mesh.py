"""A learned potential and a learned friction reproduce the motion of a mass on a spring."""
import sys

import torch
from torch import nn


class Dynamics(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep
        self.potential = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))
        self.friction = nn.Linear(1, 1)

    def force(self, q):
        q = q.detach().requires_grad_(True)
        energy = self.potential(q).sum()
        return -torch.autograd.grad(energy, q, create_graph=self.keep)[0]  #!

    def forward(self, q, v):
        return self.force(q) - self.friction(v) * v


def leapfrog(model, q, v, dt=0.1, steps=3):
    path = []
    for _ in range(steps):
        v = v + dt * model(q, v)
        q = q + dt * v
        path.append(q)
    return torch.stack(path)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(keep):
    model = settle(Dynamics(keep))
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=2)
    q0, v0 = torch.linspace(-1, 1, 5).view(5, 1), torch.zeros(5, 1)
    seen = torch.stack([q0 * (1 - 0.05 * k) for k in range(1, 4)])

    def closure():
        optimizer.zero_grad()
        loss = (leapfrog(model, q0, v0) - seen).square().mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {
        "model.potential.0.weight": model.potential[0].weight.grad,
        "model.friction.weight": model.friction.weight.grad,
    }


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
