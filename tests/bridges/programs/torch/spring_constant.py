"""Force and stiffness of a spring from its energy."""
import sys

import torch


def energy(length, stiffness):
    return 0.5 * stiffness * (length - 1.0) ** 2 + 0.02 * (length - 1.0) ** 4


class Bench:
    def __init__(self):
        self.lengths = torch.linspace(0.8, 1.6, 5)

    def force(self, stiffness):
        total = energy(self.lengths, stiffness).sum()
        (slope,) = torch.autograd.grad(total, stiffness)  #!
        return slope

    def accumulate(self, stiffness):
        energy(self.lengths, stiffness).sum().backward()
        return stiffness.grad


def broken():
    stiffness = torch.tensor(3.0, requires_grad=True)
    Bench().force(stiffness)
    return {"stiffness": stiffness.grad}


def fixed():
    stiffness = torch.tensor(3.0, requires_grad=True)
    Bench().accumulate(stiffness)
    return {"stiffness": stiffness.grad}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
