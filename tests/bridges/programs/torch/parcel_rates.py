"""Rates of parcels by zone and weight."""
import sys

import torch

weights = torch.tensor([0.5, 1.0, 2.5, 4.0])
charged = torch.tensor([3.1, 3.9, 6.2, 8.8])


def price(base, per_kilo):
    return base + per_kilo * weights


def fit(reduce):
    base = torch.tensor(2.0, requires_grad=True)
    per_kilo = torch.tensor(1.0, requires_grad=True)
    error = price(base, per_kilo) - charged
    cost = torch.nn.functional.huber_loss(error, torch.zeros(4), reduction=reduce)  #!
    cost.backward()  #~
    return {"base": base.grad, "per_kilo": per_kilo.grad}


def broken():
    return fit("none")


def fixed():
    return fit("mean")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
