"""Predicts apples and pears from weather; conflicting gradients of the shared trunk are projected."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Orchard(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, width), nn.Tanh())
        self.apples = nn.Linear(width, 1)
        self.pears = nn.Linear(width, 1)

    def forward(self, weather):
        h = self.trunk(weather)
        return self.apples(h).squeeze(1), self.pears(h).squeeze(1)


class Surgeon:
    """Takes the gradient of each task, projects those of the shared part, and puts the sum back."""

    def __init__(self, model, shared):
        self.model, self.shared = model, list(shared)

    def gradients_of(self, loss):
        loss.backward(retain_graph=True)
        taken = [p.grad.detach().clone() for p in self.shared]
        self.clear()
        return taken

    def clear(self):
        for p in self.model.parameters():
            p.grad = None  #!

    def combine(self, losses):
        tasks = [self.gradients_of(loss) for loss in losses]
        flat = [torch.cat([g.flatten() for g in task]) for task in tasks]
        inner = torch.dot(flat[0], flat[1])
        if inner < 0:
            flat[0] = flat[0] - inner / flat[1].square().sum() * flat[1]
        total, start = flat[0] + flat[1], 0
        for p in self.shared:
            p.grad = total[start:start + p.numel()].view_as(p).clone()
            start += p.numel()


class CarefulSurgeon(Surgeon):
    def clear(self):
        for p in self.shared:
            p.grad = None


def train(kind):
    torch.manual_seed(4)
    model = Orchard()
    surgeon = kind(model, model.trunk.parameters())
    weather = torch.sin(torch.arange(32.0) * 0.6).view(8, 4)
    apples, pears = model(weather)
    surgeon.combine([F.mse_loss(apples, weather.sum(1)), F.l1_loss(pears, -weather[:, 0])])
    return {
        "model.apples.weight": model.apples.weight.grad,
        "model.pears.weight": model.pears.weight.grad,
        "model.trunk.0.weight": model.trunk[0].weight.grad,
    }


def broken():
    return train(Surgeon)


def fixed():
    return train(CarefulSurgeon)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
