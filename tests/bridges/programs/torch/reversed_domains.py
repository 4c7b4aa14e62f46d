"""Reads gauges from two cameras: a reversed gradient makes the features forget which camera it was."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class Reader(nn.Module):
    def __init__(self, inputs=6, dim=8):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(inputs, dim), nn.ReLU())
        self.level = nn.Linear(dim, 1)
        self.camera = nn.Sequential(nn.Linear(dim, 4), nn.ReLU(), nn.Linear(4, 1))

    def forward(self, x, strength):
        h = self.features(x)
        return self.level(h).squeeze(1), self.camera(Reverse.apply(h, strength)).squeeze(1)


def strength(step, steps):
    return 2 / (1 + math.exp(-10 * step / steps)) - 1


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(steps=6):
    model = settle(Reader())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    old = torch.sin(torch.arange(48.0) * 0.3).view(8, 6)
    new = 0.3 + torch.sin(torch.arange(48.0) * 0.3 + 0.5).view(8, 6)
    levels = old.sum(dim=1).detach()
    x, camera = torch.cat([old, new]), torch.cat([torch.zeros(8), torch.ones(8)])
    confusion = []
    for step in range(steps):
        level, which = model(x, strength(step, steps))
        confusion.append(((which > 0).float() == camera).float().mean().item())
        loss = F.mse_loss(level[:8], levels) + F.binary_cross_entropy_with_logits(which, camera)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.features.0.weight": model.features[0].weight.grad,
        "model.camera.0.weight": model.camera[0].weight.grad,
        "model.level.weight": model.level.weight.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
