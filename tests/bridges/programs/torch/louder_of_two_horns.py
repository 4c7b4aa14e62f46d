"""Two fog horns with models of their own; a listener hears the louder."""
import sys

import torch
from torch import nn


class Horn(nn.Module):
    def __init__(self, power):
        super().__init__()
        self.air = nn.Linear(2, 3)
        self.power = nn.Parameter(torch.tensor(power))

    def forward(self, fog):
        return self.power + torch.sigmoid(self.air(fog)).sum(dim=1)


class Coast(nn.Module):
    def __init__(self, heard):
        super().__init__()
        self.north, self.south = Horn(9.0), Horn(2.0)
        self.heard = heard

    def forward(self, fog):
        north, south = self.north(fog), self.south(fog)
        return self.heard(north, south)  #!


def sound(heard):
    torch.manual_seed(37)
    coast = Coast(heard)
    fog = torch.linspace(0, 1, 12).view(6, 2)
    loudness = torch.linspace(6, 8, 6)
    optimizer = torch.optim.SGD(coast.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (coast(fog) - loudness).abs().mean()
        loss.backward()
        optimizer.step()
    return {"coast.south.air.weight": coast.south.air.weight.grad, "coast.north.air.weight": coast.north.air.weight.grad}


def broken():
    return sound(torch.maximum)


def fixed():
    return sound(torch.logaddexp)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
