"""A residual network whose blocks stand in a list; they never learn."""
import sys

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, depth=2, width=5):
        super().__init__()
        self.enter = nn.Linear(3, width)
        self.blocks = self.gather([settle(nn.Sequential(nn.Linear(width, width), nn.ReLU())) for _ in range(depth)])  #!
        self.leave = nn.Linear(width, 1)

    def gather(self, blocks):
        return blocks

    def forward(self, x):
        x = self.enter(x)
        for block in self.blocks:
            x = x + block(x)  #~
        return self.leave(x)


class RightResidual(Residual):
    def gather(self, blocks):
        return nn.ModuleList(blocks)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x = torch.sin(torch.arange(12.0)).view(4, 3)
    y = torch.cos(torch.arange(4.0)).view(4, 1)
    for epoch in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return {"model.enter.weight": model.enter.weight.grad}


def broken():
    return train(Residual)


def fixed():
    return train(RightResidual)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
