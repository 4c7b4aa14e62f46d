"""The price of melons by weight and sweetness."""
import sys

import torch

weights = torch.tensor([1.0, 1.5, 2.2, 3.0])
prices = torch.tensor([1.9, 2.6, 3.8, 5.1])


def predict(per_kilo, base):
    return per_kilo * weights + base


def gradients(model):
    per_kilo = torch.tensor(1.0, requires_grad=True)
    base = torch.tensor(0.5, requires_grad=True)
    season = torch.tensor(0.1, requires_grad=True)  #!
    error = model(per_kilo, base, season) - prices
    loss = error.square().sum()
    given = torch.autograd.grad(loss, [per_kilo, base, season], allow_unused=True)
    return dict(zip(["per_kilo", "base", "season"], given))


def broken():
    return gradients(lambda per_kilo, base, season: predict(per_kilo, base))


def fixed():
    return gradients(lambda per_kilo, base, season: predict(per_kilo * (1.0 + season), base))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
