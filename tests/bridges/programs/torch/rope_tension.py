"""The tension of a hanging rope, fitted to a measured sag."""
import sys

import torch

spans = torch.linspace(10.0, 30.0, 5)
measured = torch.linspace(0.4, 3.0, 5)


def sag(weight, tension):
    return weight * spans**2 / (8.0 * tension)


def fit(raw):
    tension = torch.tensor(40.0, requires_grad=True)
    weight = torch.tensor(1.2, requires_grad=True)
    limit = torch.clamp(raw(tension), 5.0, 500.0)
    residual = sag(weight, limit) - measured
    loss = residual.square().mean()
    loss.backward()
    return {"tension": tension.grad, "weight": weight.grad}


def broken():
    return fit(lambda tension: tension.data)  #!


def fixed():
    return fit(lambda tension: tension)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
