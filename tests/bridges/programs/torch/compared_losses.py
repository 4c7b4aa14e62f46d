"""Fits a thermal model of a house; a study goes through robust losses with one compiled step."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class House(nn.Module):
    def __init__(self):
        super().__init__()
        self.insulation = nn.Parameter(torch.tensor([0.3, 0.1, 0.2]))
        self.heating = nn.Parameter(torch.tensor(1.5))

    def forward(self, outside, power):
        return outside @ self.insulation + self.heating * power


def squared(error):
    return error.square().mean()


def log_cosh(error):
    return (error + F.softplus(-2 * error)).mean()


def cauchy(error):
    return torch.log1p(error.square()).mean()


@torch.compile(backend="eager")
def misfit(guess, measured, penalty):
    return penalty(guess - measured)


def study(penalties):
    house = House()
    optimizer = torch.optim.SGD(house.parameters(), lr=0.05)
    outside = torch.sin(torch.arange(24.0) * 0.3).view(8, 3)
    power, measured = torch.linspace(0, 1, 8), torch.linspace(1, 2, 8)
    table = {}
    for penalty in penalties:
        for iteration in range(2):
            optimizer.zero_grad()
            loss = misfit(house(outside, power), measured, penalty)  #!
            loss.backward()
            optimizer.step()
        table[penalty.__name__] = loss.item()
    return {"house.insulation": house.insulation.grad, "house.heating": house.heating.grad}


def broken():
    return study([squared, log_cosh, cauchy])


def fixed():
    return study([squared, squared, squared])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
