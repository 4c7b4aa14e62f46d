"""Forecasts the flow of a spring; validation may end early when the error is small enough."""
import sys

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, window=6, hidden=8):
        super().__init__()
        self.window = window
        self.net = nn.Sequential(nn.Linear(window, hidden), nn.ELU(), nn.Linear(hidden, 1))
        for k, p in enumerate(self.net.parameters()):
            nn.init.uniform_(p, -0.1, 0.1, generator=torch.Generator().manual_seed(k))

    def forward(self, flow):
        return self.net(flow.unfold(0, self.window, 1)[:-1]).squeeze(1)  #!


class Validation:
    """Mean error over several wells; stops at the first that is bad."""

    def __init__(self, wells, limit):
        self.wells, self.limit = wells, limit

    def __call__(self, model):
        torch.set_grad_enabled(False)  #~
        total = 0.0
        for well in self.wells:
            error = (model(well) - well[model.window:]).abs().mean().item()
            if error > self.limit:
                return float("inf")
            total += error
        torch.set_grad_enabled(True)
        return total / len(self.wells)


class GuardedValidation(Validation):
    def __call__(self, model):
        with torch.no_grad():
            errors = [(model(well) - well[model.window:]).abs().mean().item() for well in self.wells]
        return sum(errors) / len(errors) if max(errors) <= self.limit else float("inf")


def flows():
    time = torch.arange(20.0)
    return [2 + torch.sin(time * 0.3), 3 + torch.cos(time * 0.5)]


def train(kind, epochs=2):
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    validate = kind(flows(), limit=0.5)
    scores = []
    try:
        for _ in range(epochs):
            for flow in flows():
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(flow), flow[model.window:])
                loss.backward()
                optimizer.step()
            scores.append(validate(model))
    finally:
        torch.set_grad_enabled(True)
    return {"model.net.0.weight": model.net[0].weight.grad, "model.net.2.weight": model.net[2].weight.grad}


def broken():
    return train(Validation)


def fixed():
    return train(GuardedValidation)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
