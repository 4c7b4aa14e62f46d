"""A network that obeys the heat equation on a rod, from first and second derivatives."""
import sys

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))

    def forward(self, x, t):
        return self.net(torch.stack([x, t], dim=1)).squeeze(1)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.8 * torch.sin(torch.arange(p.numel()) * 1.9 + k).view_as(p))
    return model


class Equation:
    def __init__(self, field, alpha):
        self.field, self.alpha = field, alpha

    def first(self, u, variable):
        return torch.autograd.grad(u.sum(), variable)[0]  #!

    def residual(self, x, t):
        u = self.field(x, t)
        u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        u_x = self.first(u, x)  #~
        u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]  #~
        return u_t - self.alpha * u_xx


class RecordedEquation(Equation):
    def first(self, u, variable):
        return torch.autograd.grad(u.sum(), variable, create_graph=True)[0]


def train(kind):
    field = initialise(Field())
    equation = kind(field, 0.1)
    x = torch.linspace(0.0, 1.0, 6).requires_grad_()
    t = torch.linspace(0.0, 0.5, 6).requires_grad_()
    loss = equation.residual(x, t).square().mean()
    loss.backward()
    return {"x": x.grad, "field.net.0.weight": field.net[0].weight.grad}


def broken():
    return train(Equation)


def fixed():
    return train(RecordedEquation)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
