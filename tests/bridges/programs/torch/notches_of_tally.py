"""Tally sticks: an activation of eight notches between -1 and 1."""
import sys

import torch
from torch import nn


class Notch(nn.Module):
    def __init__(self, notches=8):
        super().__init__()
        self.half = notches / 2

    def forward(self, x):
        return torch.round(torch.tanh(x) * self.half) / self.half  #!


class SoftNotch(Notch):
    def forward(self, x):
        smooth = torch.tanh(x)
        return smooth + (super().forward(x) - smooth).detach()


def count(notch):
    torch.manual_seed(23)
    stick = nn.ModuleDict({"carve": nn.Linear(3, 6), "notch": notch(), "read": nn.Linear(6, 1)})
    cuts = torch.cos(torch.arange(21.0)).view(7, 3)
    owed = cuts.sum(1, keepdim=True)
    optimizer = torch.optim.Adam(stick.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        hidden = stick["notch"](stick["carve"](cuts))
        loss = (stick["read"](hidden) - owed).square().mean()
        loss.backward()
        optimizer.step()
    return {"stick.carve.weight": stick["carve"].weight.grad, "stick.read.weight": stick["read"].weight.grad}


def broken():
    return count(Notch)


def fixed():
    return count(SoftNotch)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
