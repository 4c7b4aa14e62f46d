"""Logs the gradient norm of a soil model after each epoch."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def norm(model):
    return {name: p.grad for name, p in model.named_parameters()}


class Trainer:
    def __init__(self, model, look_first):
        self.model, self.look_first = model, look_first
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
        self.seen = {}

    def step(self, soil, moisture):
        loss = (self.model(soil).squeeze(1) - moisture).square().mean()
        loss.backward()
        self.optimizer.step()
        if self.look_first:
            self.seen = norm(self.model)
        self.optimizer.zero_grad()  #!

    def epoch(self, loader):
        for soil, moisture in loader:
            self.step(soil, moisture)
        if not self.look_first:
            self.seen = norm(self.model)
        return self.seen


def train(look_first):
    model = settle(nn.Sequential(nn.Linear(4, 5), nn.Softplus(), nn.Linear(5, 1)))
    soil = torch.sin(torch.arange(48.0)).view(12, 4)
    loader = DataLoader(TensorDataset(soil, soil.mean(dim=1)), batch_size=4)
    seen = Trainer(model, look_first).epoch(loader)
    return {"model.0.weight": seen["0.weight"], "model.2.bias": seen["2.bias"]}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
