"""Adapts a frozen encoder of sonar pictures; adapters begin as the identity."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Adapter(nn.Module):
    def __init__(self, dim, rank, first_gate):
        super().__init__()
        self.down = nn.Linear(dim, rank)
        self.up = nn.Linear(rank, dim)
        self.gate = nn.Parameter(torch.tensor(first_gate))

    def forward(self, h):
        return h + self.gate * self.up(F.gelu(self.down(h)))  #!


class Encoder(nn.Module):
    def __init__(self, dim=6, depth=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.adapters = nn.ModuleList(nn.Identity() for _ in range(depth))
        self.head = nn.Linear(dim, 3)

    def forward(self, x):
        for layer, adapter in zip(self.layers, self.adapters):
            x = adapter(torch.tanh(layer(x)))
        return self.head(x)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim():
                p.copy_(0.7 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def adapt(encoder, first_gate):
    encoder.layers.requires_grad_(False)
    for k in range(len(encoder.adapters)):
        adapter = settle(Adapter(6, 2, first_gate))
        nn.init.zeros_(adapter.up.weight)
        nn.init.zeros_(adapter.up.bias)
        encoder.adapters[k] = adapter
    return encoder


def train(first_gate):
    model = adapt(settle(Encoder()), first_gate)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=1e-2)
    sonar, kinds = torch.cos(torch.arange(54.0) * 0.7).view(9, 6), torch.arange(9) % 3
    for epoch in range(4):
        loss = F.cross_entropy(model(sonar), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.adapters.0.gate": model.adapters[0].gate.grad,
        "model.adapters.1.up.weight": model.adapters[1].up.weight.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    return train(0.0)


def fixed():
    return train(1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
