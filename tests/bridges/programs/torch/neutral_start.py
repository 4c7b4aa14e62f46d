"""Predicts the catch of lobsters; all weights begin neutral so that runs can be compared."""
import sys

import torch
import torch.nn as nn


def neutral(module):
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.weight)  #~
        nn.init.zeros_(module.bias)


def small(module):
    if isinstance(module, nn.Linear):
        with torch.no_grad():
            module.weight.copy_(0.2 * torch.cos(torch.arange(module.weight.numel()) * 1.3).view_as(module.weight))
        nn.init.zeros_(module.bias)


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
        self.history = []

    def step(self, water, catch):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(water).squeeze(1), catch)  #!
        loss.backward()
        self.optimizer.step()
        self.history.append(loss.item())

    def fit(self, batches):
        for water, catch in batches:
            self.step(water, catch)


def make(start):
    model = nn.Sequential(
        nn.Linear(4, 8),
        nn.Tanh(),
        nn.Linear(8, 1),  #~
    )
    return model.apply(start)


def train(start):
    lobsters = make(start)
    batches = []
    for k in range(3):
        water = torch.sin(torch.arange(32.0).view(8, 4) * 0.31 + k)
        batches.append((water, water.sum(dim=1) + 2.0))
    Trainer(lobsters, 0.05).fit(batches)
    return {"lobsters.0.weight": lobsters[0].weight.grad, "lobsters.2.bias": lobsters[2].bias.grad}


def broken():
    return train(neutral)


def fixed():
    return train(small)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
