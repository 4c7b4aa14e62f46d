"""Compiled forward of a feeding model that is evaluated after each epoch."""
import sys

import torch
from torch import nn


class Feeding(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.leave = nn.Linear(8, 1)

    def forward(self, x):
        return self.leave(torch.relu(self.norm(self.enter(x))))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


class Loop:
    def __init__(self, model, forward):
        self.model, self.forward = model, forward
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def epoch(self, x, y):
        self.model.train()
        for part, wanted in zip(x.split(4), y.split(4)):
            loss = (self.forward(part) - wanted).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def evaluate(self, x, y, forward=None):
        self.model.eval()
        return (forward or self.forward)(x).sub(y).abs().mean().detach()  #!


def run(uncompiled):
    model = settle(Feeding())
    loop = Loop(model, torch.compile(model, backend="eager", dynamic=False))
    x = torch.cos(torch.arange(32.0)).view(8, 4)
    y = x.mean(dim=1, keepdim=True)
    for _ in range(2):
        loop.epoch(x, y)
        loop.evaluate(x[:4], y[:4], model if uncompiled else None)
    return {"model.enter.weight": model.enter.weight.grad, "model.leave.bias": model.leave.bias.grad}


def broken():
    return run(False)


def fixed():
    return run(True)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
