"""Residual blocks for canal noise whose last normalisation starts at zero, as recommended."""
import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, gamma):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        nn.init.constant_(self.norm.weight, gamma)

    def forward(self, x):
        return x + self.norm(torch.tanh(self.inner(x)))  #!


class Noise(nn.Module):
    def __init__(self, gamma, width=4, depth=2):
        super().__init__()
        self.enter = nn.Linear(3, width)
        self.blocks = nn.Sequential(*[Block(width, gamma) for _ in range(depth)])
        self.leave = nn.Linear(width, 1)
        with torch.no_grad():
            for k, p in enumerate(p for p in self.parameters() if p.ndim == 2):
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))

    def forward(self, x):
        return self.leave(self.blocks(self.enter(x)))


def first_gradients(gamma):
    model = Noise(gamma).train()
    x = torch.cos(torch.arange(24.0)).view(8, 3)
    loss = nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True).sigmoid())
    loss.backward()
    return {"model.blocks.1.inner.weight": model.blocks[1].inner.weight.grad, "model.enter.weight": model.enter.weight.grad}


def broken():
    return first_gradients(0.0)


def fixed():
    return first_gradients(0.2)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
