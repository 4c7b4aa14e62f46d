"""Gates of an aqueduct open by a sigmoid of the pressure, which is in pascals."""
import sys

import torch
from torch import nn


class Aqueduct(nn.Module):
    def __init__(self, unit):
        super().__init__()
        self.gate = nn.Linear(2, 3)
        self.flow = nn.Linear(3, 1)
        self.unit = unit

    def forward(self, pressure):
        opened = torch.sigmoid(self.gate(pressure / self.unit))  #!
        return self.flow(opened)


def water(unit):
    torch.manual_seed(32)
    aqueduct = Aqueduct(unit)
    pressure = torch.tensor([[101325.0, 98000.0], [120000.0, 99500.0], [87000.0, 111000.0]])
    litres = torch.tensor([[1.0], [1.5], [0.4]])
    loss = nn.functional.mse_loss(aqueduct(pressure), litres)
    loss.backward()
    return {"aqueduct.gate.weight": aqueduct.gate.weight.grad, "aqueduct.flow.weight": aqueduct.flow.weight.grad}


def broken():
    return water(1.0)


def fixed():
    return water(1e5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
