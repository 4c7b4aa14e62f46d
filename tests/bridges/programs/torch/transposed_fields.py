"""Irrigation of fields: the compiled model gets the table of readings in two layouts."""
import sys

import torch
from torch import nn


class Irrigation(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 4)

    @torch.compile(backend="eager", dynamic=False)
    def demand(self, readings):
        return torch.tanh(self.mix(readings)).sum()


def by_field(table):
    return table.t()


def copied(table):
    return table.t().contiguous()


def season(turn):
    torch.manual_seed(0)
    farm = Irrigation()
    table = torch.sin(torch.arange(16.0)).view(4, 4)
    for day in range(4):
        readings = table + 0.1 * day
        if day == 2:
            readings = turn(readings)
        farm.demand(readings).backward()  #!
    return {"farm.mix.weight": farm.mix.weight.grad}


def broken():
    return season(by_field)


def fixed():
    return season(copied)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
