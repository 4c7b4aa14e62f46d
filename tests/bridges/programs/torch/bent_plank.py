"""Deflection of a plank under load: a network whose curvature is to match the load, with the stiffness as one more parameter."""
import sys

import torch
from torch import nn


class Plank(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.inner = nn.Linear(1, 8)
        self.activation = activation
        self.outer = nn.Linear(8, 1)
        self.stiffness = nn.Parameter(torch.tensor(0.5))

    def forward(self, place):
        return self.outer(self.activation(self.inner(place)))  #~

    def bending(self, place):
        bent = self(place)
        slope, = torch.autograd.grad(bent.sum(), place, create_graph=True)  #~
        curve, = torch.autograd.grad(slope.sum(), place, create_graph=True)  #!
        return self.stiffness * curve


def initialise(model):
    with torch.no_grad():
        model.inner.weight.copy_(torch.linspace(-1.0, 1.2, 8).view(8, 1))
        model.inner.bias.copy_(0.3 * torch.cos(torch.arange(8.0)))
        model.outer.weight.copy_(torch.sin(torch.arange(8.0)).view(1, 8))
        model.outer.bias.zero_()
    return model


def train(activation):
    model = initialise(Plank(activation))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    load = torch.linspace(0.2, 0.8, 12).view(12, 1)
    for _ in range(3):
        place = torch.linspace(0.0, 1.0, 12).view(12, 1).requires_grad_()
        held = model(torch.tensor([[0.0], [1.0]])).square().sum()
        loss = (model.bending(place) - load).square().mean() + held
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.stiffness": model.stiffness.grad, "model.outer.weight": model.outer.weight.grad}


def broken():
    return train(nn.ReLU())


def fixed():
    return train(nn.Tanh())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
