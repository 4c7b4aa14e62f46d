"""Forecast of ships in a harbour from wind and tide, with a residual connection."""
import sys

import torch
from torch import nn


class HarbourNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.shortcut = nn.Linear(4, 4, bias=False)  #!
        self.out = nn.Linear(4, 1)

    def residual(self, x):
        return x

    def forward(self, x):
        return self.out(torch.tanh(self.inner(x)) + self.residual(x)).squeeze(1)


class ProjectedHarbourNet(HarbourNet):
    def residual(self, x):
        return self.shortcut(x)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(torch.linspace(-0.6, 0.7, p.numel()).view_as(p) + 0.05 * k)
    return model


def fit(model):
    conditions = torch.cos(torch.arange(24.0)).view(6, 4)
    ships = torch.arange(6.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    for _ in range(4):
        loss = (model(conditions) - ships).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {f"model.{name}": p.grad for name, p in model.named_parameters()}


def broken():
    model = initialise(HarbourNet())
    return fit(model)


def fixed():
    model = initialise(ProjectedHarbourNet())
    return fit(model)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
