"""Fits a kiln's firing curve, whose knots are parameters of a small object."""
import sys

import torch


class Curve:
    def __init__(self):
        self.warm = torch.tensor(0.3, requires_grad=True)
        self.hold = torch.tensor(0.9, requires_grad=True)
        self.cool = torch.tensor(0.5, requires_grad=True)

    def knots(self):
        return [self.warm, self.hold, self.cool]


def as_vector(knots):
    return torch.tensor(knots)  #!


def temperature(vector, hours):
    place = hours.clamp(0.0, 1.999)
    left = place.long()
    share = place - left
    return vector[left] * (1 - share) + vector[left + 1] * share


def fit(vector_of):
    curve = Curve()
    hours, wanted = torch.linspace(0.0, 2.0, 9), torch.linspace(0.2, 0.8, 9)
    offset = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.SGD([*curve.knots(), offset], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        error = temperature(vector_of(curve.knots()), hours) + offset - wanted
        error.square().mean().backward()
        optimizer.step()
    warm, hold, cool = curve.knots()
    return {"warm": warm.grad, "hold": hold.grad, "offset": offset.grad}


def broken():
    return fit(as_vector)


def fixed():
    return fit(torch.stack)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
