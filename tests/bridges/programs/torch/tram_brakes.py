"""Braking distance of a tram on wet rails."""
import sys

import torch


@torch.no_grad()
def friction_of(wetness, coefficient):
    return coefficient * (1.0 - 0.6 * wetness)  #!


def open_friction(wetness, coefficient):
    return coefficient * (1.0 - 0.6 * wetness)


def distance(speed, friction):
    return speed**2 / (2.0 * 9.81 * friction)


def gradients(friction):
    speed = torch.tensor([8.0, 11.0, 14.0], requires_grad=True)
    coefficient = torch.tensor(0.3, requires_grad=True)
    wetness = torch.tensor([0.1, 0.5, 0.9])
    total = distance(speed, friction(wetness, coefficient)).sum()
    total.backward()
    return {"speed": speed.grad, "coefficient": coefficient.grad}


def broken():
    return gradients(friction_of)


def fixed():
    return gradients(open_friction)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
