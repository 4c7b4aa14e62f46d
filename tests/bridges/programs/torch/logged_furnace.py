"""Compiled energy balance of a furnace, with a line for the log inside."""
import logging
import sys

import torch
from torch import nn

log = logging.getLogger("furnace")


class Balance(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss_of_heat = nn.Parameter(torch.tensor([0.2, 0.1, 0.4]))

    def report(self, heat):
        print("heat by zone", heat.tolist())  #!

    def forward(self, fuel):
        heat = fuel * torch.exp(-self.loss_of_heat)
        self.report(heat)  #~
        return (heat.sum() - 2.0).square()


class QuietBalance(Balance):
    def report(self, heat):
        pass


def run(kind):
    balance = kind()
    step = torch.compile(balance, backend="eager")
    for k in range(3):
        step(torch.tensor([1.0, 0.5, 0.8]) * (1 + 0.1 * k)).backward()
    return {"balance.loss_of_heat": balance.loss_of_heat.grad}


def broken():
    return run(Balance)


def fixed():
    return run(QuietBalance)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
