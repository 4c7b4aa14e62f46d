"""Flow through a sluice: one curve for spring floods, one for the dry months."""
import sys

import torch
from torch import nn


class Sluice(nn.Module):
    def __init__(self):
        super().__init__()
        self.flood = nn.Linear(2, 1)  #~
        self.drought = nn.Linear(2, 1)
        self.threshold = 4.0

    def forward(self, readings):
        level = readings[:, 0].mean()
        curve = self.flood if level > self.threshold else self.drought  #!
        return curve(readings).squeeze(1)


def regulate(levels):
    torch.manual_seed(5)
    sluice = Sluice()
    readings = torch.stack([levels, torch.cos(levels)], 1)
    flow = 0.6 * levels.sqrt()
    loss = (sluice(readings) - flow).pow(2).mean()
    loss.backward()
    return {"sluice.flood.weight": sluice.flood.weight.grad}


def broken():
    return regulate(torch.linspace(0.5, 3.5, 6))


def fixed():
    return regulate(torch.linspace(3.0, 7.0, 6))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
