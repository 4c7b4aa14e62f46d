"""Thrust of an arch over its span, by a power law whose exponent is learned."""
import sys

import torch
from torch import nn


def raised(reach, exponent):
    return reach.pow(exponent)  #!


def raised_from_zero(reach, exponent):
    return reach.clamp(min=1e-4).pow(exponent)


class Arch(nn.Module):
    def __init__(self, law):
        super().__init__()
        self.exponent = nn.Parameter(torch.tensor(1.7))
        self.offset = nn.Parameter(torch.tensor(0.05))
        self.law = law

    def forward(self, span):
        return self.law(span - self.offset, self.exponent)


def load(law):
    arch = Arch(law)
    span = torch.linspace(0.0, 2.0, 9)
    thrust = 0.8 * span.sqrt()
    optimizer = torch.optim.SGD(arch.parameters(), lr=0.01)
    for _ in range(2):
        loss = (arch(span) - thrust).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"arch.exponent": arch.exponent.grad}


def broken():
    return load(raised)


def fixed():
    return load(raised_from_zero)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
