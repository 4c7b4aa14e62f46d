"""Fits how a brew ferments; parameters live in the logarithm, in a dataclass."""
import math
import sys
from dataclasses import dataclass, field

import torch


def leaf(value):
    return field(default_factory=lambda: torch.tensor(value, requires_grad=True))


@dataclass
class Brew:
    log_rate: torch.Tensor = leaf(-1.0)
    log_sugar: torch.Tensor = leaf(0.5)
    noise: float = 0.1

    @property
    def rate(self):
        return math.exp(self.log_rate)  #!

    @property
    def sugar(self):
        return self.log_sugar.exp()

    def alcohol(self, hours):
        return self.sugar * (1 - torch.exp(-self.rate * hours))

    def leaves(self):
        return [self.log_rate, self.log_sugar]


class TensorBrew(Brew):
    @property
    def rate(self):
        return self.log_rate.exp()


def fit(kind):
    brew = kind()
    log_rate, log_sugar = brew.log_rate, brew.log_sugar
    hours = torch.linspace(0, 4, 12)
    seen = 1.4 * (1 - torch.exp(-0.6 * hours))
    optimizer = torch.optim.Adagrad(brew.leaves(), lr=0.05)
    for _ in range(4):
        optimizer.zero_grad()
        misfit = ((brew.alcohol(hours) - seen) / brew.noise).square().mean()
        misfit.backward()
        optimizer.step()
    return {"log_rate": log_rate.grad, "log_sugar": log_sugar.grad}


def broken():
    return fit(Brew)


def fixed():
    return fit(TensorBrew)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
