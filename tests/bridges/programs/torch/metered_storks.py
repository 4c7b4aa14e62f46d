"""Counts storks by nest and wing; meters keep the parts of the loss for the log."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Meter:
    def __init__(self, name):
        self.name, self.sum, self.count = name, 0.0, 0

    def update(self, part):
        value = part.detach()  #!
        self.sum += value
        self.count += 1
        return value

    @property
    def mean(self):
        return self.sum / max(self.count, 1)


class PassingMeter(Meter):
    def update(self, part):
        super().update(part)
        return part


class Storks(nn.Module):
    def __init__(self):
        super().__init__()
        self.nest = nn.Linear(4, 1)
        self.wing = nn.Linear(4, 1)

    def forward(self, view):
        return F.softplus(self.nest(view)), F.softplus(self.wing(view))


class Trainer:
    def __init__(self, model, kind):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        self.meters = [kind("nest"), kind("wing")]

    def step(self, view, counts):
        parts = [F.poisson_nll_loss(p, counts, log_input=False) for p in self.model(view)]
        total = sum(meter.update(part) for meter, part in zip(self.meters, parts))
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()

    def report(self):
        with torch.no_grad():
            return {meter.name: float(meter.mean) for meter in self.meters}


def train(kind):
    torch.manual_seed(19)
    model = Storks()
    trainer = Trainer(model, kind)
    view = torch.cos(torch.arange(20.0)).view(5, 4)
    for k in range(2):
        trainer.step(view + 0.1 * k, torch.arange(5.0).unsqueeze(1))
    trainer.report()
    return {"model.nest.weight": model.nest.weight.grad, "model.wing.weight": model.wing.weight.grad}


def broken():
    return train(Meter)


def fixed():
    return train(PassingMeter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
