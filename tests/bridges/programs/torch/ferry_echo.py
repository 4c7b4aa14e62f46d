"""A ferry's engine sound, in steps of a recurrent cell written by hand."""
import sys

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def forward(self, state):
        return torch.sigmoid(self.gate(state))


def normalised_in_place(state):
    state.div_(state.norm() + 1.0)  #!
    return state


def normalised(state):
    return state / (state.norm() + 1.0)


def listen(normalise):
    cell = Cell()
    state = torch.linspace(0.1, 0.4, 4)
    for _ in range(3):
        state = normalise(cell(state))
    loss = state.square().sum()
    loss.backward()
    return {"cell.gate.weight": cell.gate.weight.grad}


def broken():
    return listen(normalised_in_place)


def fixed():
    return listen(normalised)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
