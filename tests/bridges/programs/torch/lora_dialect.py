"""Adapts a dialect model with low-rank matrices, both of them zero at the start."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class LowRank(nn.Module):
    def __init__(self, base, rank, start):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.constant_(self.down.weight, start)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))  #!


def base_layer():
    base = nn.Linear(4, 3)
    with torch.no_grad():
        base.weight.copy_(torch.linspace(-0.8, 0.8, 12).view(3, 4))
        base.bias.zero_()
    return base


def train(start):
    model = LowRank(base_layer(), 2, start)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    words = torch.sin(torch.arange(20.0) * 1.1).view(5, 4)
    dialects = torch.tensor([0, 1, 2, 0, 1])
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(words), dialects)
        loss.backward()
        optimizer.step()
    return {"model.down.weight": model.down.weight.grad, "model.up.weight": model.up.weight.grad}


def broken():
    return train(0.0)


def fixed():
    return train(0.3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
