"""Adapts a lens model to a camera by one inner step with functional_call."""
import sys

import torch
from torch import nn
from torch.func import functional_call


def lens():
    made = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))
    with torch.no_grad():
        for k, p in enumerate(made.parameters()):
            p.copy_(torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return made


def shots(shift):
    points = torch.sin(torch.arange(16.0) + shift).view(8, 2)
    return points, points.prod(1, keepdim=True)


def error(model, weights, points, wanted):
    return (functional_call(model, weights, (points,)) - wanted).square().mean()


def adapt(model, first_order):
    if first_order:
        weights = {name: p.detach().requires_grad_() for name, p in model.named_parameters()}  #!
    else:
        weights = dict(model.named_parameters())
    points, wanted = shots(0.0)
    slopes = torch.autograd.grad(error(model, weights, points, wanted), list(weights.values()), create_graph=True)
    return {name: w - 0.1 * slope for (name, w), slope in zip(weights.items(), slopes)}


def train(first_order):
    model = lens()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for task in range(3):
        weights = adapt(model, first_order)
        points, wanted = shots(1.0 + task)
        optimizer.zero_grad()
        error(model, weights, points, wanted).backward()
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad, "model.2.weight": model[2].weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
