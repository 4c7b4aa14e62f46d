"""Trains a forecast of pollen with an evaluation after each epoch."""
import sys

import torch
from torch import nn


class Pollen(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 5)
        self.out = nn.Linear(5, 1)

    def forward(self, weather):
        return self.out(torch.relu(self.hidden(weather)) + 0.1).squeeze(1)  #!


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(torch.linspace(-0.3, 0.8, p.numel()).view_as(p) + 0.05 * k)
    return model


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        self.best = float("inf")

    def epoch(self, weather, grains):
        self.model.train()
        error = self.model(weather) - grains  #~
        loss = error.square().mean()
        self.optimizer.zero_grad()
        loss.backward()  #~
        self.optimizer.step()

    def evaluate(self, weather, grains):
        self.model.eval()
        torch.set_grad_enabled(False)  #~
        miss = (self.model(weather) - grains).abs().mean()
        self.best = min(self.best, miss.item())


class CarefulTrainer(Trainer):
    def evaluate(self, weather, grains):
        self.model.eval()
        with torch.set_grad_enabled(False):
            miss = (self.model(weather) - grains).abs().mean()
        self.best = min(self.best, miss.item())


def run(kind):
    model = initialise(Pollen())
    trainer = kind(model)
    weather = torch.sin(torch.arange(18.0)).view(6, 3)
    grains = torch.linspace(0.0, 2.0, 6)
    try:
        for _ in range(3):
            trainer.epoch(weather, grains)
            trainer.evaluate(weather, grains)
    finally:
        torch.set_grad_enabled(True)
    return {f"model.{name}": p.grad for name, p in model.named_parameters()}


def broken():
    return run(Trainer)


def fixed():
    return run(CarefulTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
