"""Trains a detector of owls; meters keep what is plotted at the end."""
import collections
import sys

import torch
from torch import nn


class Meter:
    def __init__(self):
        self.values = collections.defaultdict(list)

    def update(self, **found):
        for name, value in found.items():
            self.values[name].append(value)  #!

    def means(self):
        return {name: float(sum(values)) / len(values) for name, values in self.values.items()}


class NumberMeter(Meter):
    def update(self, **found):
        for name, value in found.items():
            self.values[name].append(value.item())


class Trainer:
    def __init__(self, model, meter):
        self.model, self.meter = model, meter
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(self, calls, owls):
        logits = self.model(calls).squeeze(-1)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, owls)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.meter.update(loss=loss, confidence=logits.sigmoid().sub(0.5).abs().mean())  #~


def train(meter):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    trainer = Trainer(model, meter())
    for k in range(6):
        calls = torch.sin(torch.arange(64.0) * 0.2 + k).view(8, 8)
        trainer.step(calls, (calls.sum(1) > 0).float())
    print(trainer.meter.means())
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(Meter)


def fixed():
    return train(NumberMeter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
