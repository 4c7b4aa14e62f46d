"""Frequencies of a bridge and how they answer to stiffness, mass and paint."""
import sys

import torch


class Span:
    def __init__(self):
        self.stiffness = torch.linspace(2.0, 4.0, 3).requires_grad_()
        self.mass = torch.tensor(1.5, requires_grad=True)
        self.paint = torch.tensor(0.2, requires_grad=True)  #!

    def frequencies(self):
        matrix = torch.diag(self.stiffness) + 0.1
        return torch.linalg.eigvalsh(matrix) / self.mass

    def painted(self):
        return self.frequencies() / (1.0 + 0.01 * self.paint)


def sensitivities(frequencies, span):
    stiffness, mass, paint = span.stiffness, span.mass, span.paint
    lowest = frequencies(span).min().sqrt()
    slopes = torch.autograd.grad(lowest, [stiffness, mass, paint])  #~
    return dict(zip(["stiffness", "mass", "paint"], slopes))


def broken():
    return sensitivities(Span.frequencies, Span())


def fixed():
    return sensitivities(Span.painted, Span())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
