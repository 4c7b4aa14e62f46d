"""Descent on the pressure of a walnut press, by hand."""
import sys

import torch


def oil(pressure):
    return torch.sum(torch.log1p(pressure) - 0.1 * pressure)


def descend(keep):
    pressure = torch.tensor([2.0, 4.0, 6.0], requires_grad=True)
    for _ in range(3):
        gain = oil(pressure)
        (-gain).backward()
        with torch.no_grad():
            moved = pressure - 0.5 * pressure.grad  #~
        if keep:
            break
        pressure = moved.requires_grad_()  #!
    return {"pressure": pressure.grad}


def broken():
    return descend(keep=False)


def fixed():
    return descend(keep=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
