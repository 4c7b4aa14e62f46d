"""Fits the shape of a pond with L-BFGS."""
import sys

import torch


def outline(coefficients, angles):
    waves = torch.stack([torch.cos(k * angles) for k in range(len(coefficients))])
    return coefficients @ waves


def fit(inside, rounds=2):
    angles = torch.linspace(0, 6.0, 20)
    measured = 2 + 0.5 * torch.cos(angles) + 0.2 * torch.cos(2 * angles)
    coefficients = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.LBFGS([coefficients], lr=0.5, max_iter=4)
    for _ in range(rounds):
        loss = (outline(coefficients, angles) - measured).square().mean()  #~

        def closure():
            optimizer.zero_grad()
            now = (outline(coefficients, angles) - measured).square().mean() if inside else loss
            now.backward()  #!
            return now

        optimizer.step(closure)
    return {"coefficients": coefficients.grad}


def broken():
    return fit(inside=False)


def fixed():
    return fit(inside=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
