"""Two bakeries share an oven model; each has its loss, and both add the oven's penalty."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Oven(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.heat = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, width))

    def forward(self, dough):
        return self.heat(dough)


class Bakery(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.crust = nn.Linear(width, 1)

    def forward(self, warm):
        return self.crust(torch.sigmoid(warm)).squeeze(1)


class Trainer:
    def __init__(self, oven, bakeries):
        self.oven, self.bakeries = oven, bakeries
        parameters = [*oven.parameters(), *(p for b in bakeries for p in b.parameters())]
        self.optimizer = torch.optim.Adam(parameters, lr=1e-3)
        self.schedule = torch.optim.lr_scheduler.PolynomialLR(self.optimizer, 10)

    def penalty(self):
        return sum(p.square().sum() for p in self.oven.parameters()).sqrt()

    def losses(self, doughs, crusts):
        penalty = self.penalty()
        for bakery, dough, crust in zip(self.bakeries, doughs, crusts):
            yield F.mse_loss(bakery(self.oven(dough)), crust) + 0.01 * penalty  #!

    def step(self, doughs, crusts):
        self.optimizer.zero_grad()
        self.backward(self.losses(doughs, crusts))
        nn.utils.clip_grad_norm_(self.oven.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()

    def backward(self, losses):
        for loss in losses:
            loss.backward()


class SumTrainer(Trainer):
    def backward(self, losses):
        sum(losses).backward()


def days(count=3):
    for k in range(count):
        wave = torch.sin(torch.arange(36.0) * 0.5 + k).view(2, 6, 3)
        yield wave, wave.sum(2)


def train(kind):
    torch.manual_seed(42)
    oven = Oven()
    trainer = kind(oven, [Bakery(), Bakery()])
    for doughs, crusts in days():
        trainer.step(doughs, crusts)
    return {"oven.heat.0.weight": oven.heat[0].weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(SumTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
