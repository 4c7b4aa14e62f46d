"""Fits the shape of a gamma distribution of rainfall by its quantiles."""
import sys

import torch

heights = torch.linspace(1.0, 6.0, 5)
observed = torch.tensor([0.2, 0.5, 0.7, 0.85, 0.93])


def incomplete(shape, x):
    return torch.special.gammainc(shape.expand_as(x), x)  #!


def series(shape, x):
    term = x**shape * torch.exp(-x) / torch.exp(torch.lgamma(shape + 1.0))
    total = term
    for k in range(1, 40):
        term = term * x / (shape + k)
        total = total + term
    return total


def fit(cumulative):
    shape = torch.tensor(2.0, requires_grad=True)
    scale = torch.tensor(1.3, requires_grad=True)
    loss = (cumulative(shape, heights / scale) - observed).square().sum()
    loss.backward()
    return {"shape": shape.grad, "scale": scale.grad}


def broken():
    return fit(incomplete)


def fixed():
    return fit(series)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
