"""Designs coils: currents are kept as parameters, and the circuit that is simulated holds them scaled to amperes."""
import sys

import torch
from torch import nn


class Circuit(nn.Module):
    def __init__(self, currents, amperes):
        super().__init__()
        self.coils = nn.ParameterList([current * amperes for current in currents])  #!

    def field(self, where):
        return sum(coil / (1.0 + (where - k) ** 2) for k, coil in enumerate(self.coils))


class ScaledCircuit(nn.Module):
    def __init__(self, currents, amperes):
        super().__init__()
        self.currents, self.amperes = nn.ParameterList(currents), amperes

    def field(self, where):
        return sum(current * self.amperes / (1.0 + (where - k) ** 2) for k, current in enumerate(self.currents))


def design(kind, rounds=3):
    left = nn.Parameter(torch.tensor(0.2))
    right = nn.Parameter(torch.tensor(0.4))
    gain = nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.Adam([left, right, gain], lr=0.05)
    where = torch.linspace(-1, 2, 7)
    for _ in range(rounds):
        circuit = kind([left, right], 5.0)
        loss = (gain * circuit.field(where) - 1.5).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"left": left.grad, "right": right.grad, "gain": gain.grad}


def broken():
    return design(Circuit)


def fixed():
    return design(ScaledCircuit)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
