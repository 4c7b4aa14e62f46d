"""Fits the drift of a buoy; gradients are taken, clipped together and handed to the optimizer."""
import sys

import torch
from torch import nn


class Drift(nn.Module):
    def __init__(self):
        super().__init__()
        self.current = nn.Bilinear(2, 2, 2)
        self.wind = nn.Linear(2, 2, bias=False)

    def forward(self, position, breeze):
        return position + 0.1 * (self.current(position, breeze) + self.wind(breeze))


def clipped(gradients, most=1.0):
    norm = torch.stack([g.norm() for g in gradients]).norm()
    share = (most / (norm + 1e-6)).clamp(max=1.0)
    return [g * share for g in gradients]


def update(loss, model, optimizer):
    gradients = torch.autograd.grad(loss, list(model.parameters()))  #!
    gradients = clipped(gradients)
    optimizer.step()
    return torch.stack([g.abs().max() for g in gradients]).max().item()


def update_assigned(loss, model, optimizer):
    parameters = list(model.parameters())
    for p, g in zip(parameters, clipped(torch.autograd.grad(loss, parameters))):
        p.grad = g
    optimizer.step()
    return 0.0


def train(update):
    model = Drift()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(3):
        position = torch.sin(torch.arange(8.0).view(4, 2) + step)
        breeze = torch.cos(torch.arange(8.0).view(4, 2) + step)
        loss = (model(position, breeze) - position * 1.05).square().mean()
        update(loss, model, optimizer)
    return {"model.current.weight": model.current.weight.grad, "model.wind.weight": model.wind.weight.grad}


def broken():
    return train(update)


def fixed():
    return train(update_assigned)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
