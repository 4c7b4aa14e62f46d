"""The pace of two rowing crews on one river."""
import sys

import torch


def pace(strength, current):
    return strength.sqrt() + current


def lead(ours, theirs):
    return (ours - theirs).sum()  #!


def ground(ours, theirs):
    return (ours * theirs).sum()


def slopes(compare):
    current = torch.tensor(0.6, requires_grad=True)
    power = torch.linspace(2.0, 4.0, 4).requires_grad_()
    ours = pace(power, current)
    theirs = pace(torch.linspace(2.5, 3.5, 4), current)
    result = compare(ours, theirs)
    result.backward()
    return {"current": current.grad, "power": power.grad}


def broken():
    return slopes(lead)


def fixed():
    return slopes(ground)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
