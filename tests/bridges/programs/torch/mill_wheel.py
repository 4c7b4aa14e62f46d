"""Blades of a mill wheel: the first is pinned, the others are optimized."""
import sys

import torch


def start(count=5):
    return torch.linspace(0.1, 0.5, count).requires_grad_()


def pin_in_place(blades):
    first = blades[:1]
    first.mul_(0.0)  #!
    return blades


def pin(blades):
    return torch.cat([torch.zeros(1), blades[1:]])


def torque(blades):
    return (blades * torch.arange(1.0, len(blades) + 1)).sum().sin()


def turn(pinning):
    blades = start()
    loss = torque(pinning(blades))
    loss.backward()
    return {"blades": blades.grad}


def broken():
    return turn(pin_in_place)


def fixed():
    return turn(pin)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
