"""Share of salt in a pond; a share lies between 0 and 1."""
import sys

import torch
from torch import nn


class Salinity(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(2, 6)
        self.share = nn.Linear(6, 1)
        nn.init.constant_(self.share.bias, 4.0)

    def bounded(self, raw):
        return raw.clamp(0.0, 1.0)  #!

    def forward(self, sample):
        return self.bounded(self.share(torch.tanh(self.lift(sample)))).squeeze(1)


class SmoothSalinity(Salinity):
    def bounded(self, raw):
        return torch.sigmoid(raw)


def fit(kind):
    torch.manual_seed(7)
    pond = kind()
    sample = torch.linspace(0, 1, 20).view(10, 2)
    salt = torch.linspace(0.1, 0.4, 10)
    optimizer = torch.optim.SGD(pond.parameters(), lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(pond(sample), salt)
        loss.backward()
        optimizer.step()
    return {"pond.lift.weight": pond.lift.weight.grad}


def broken():
    return fit(Salinity)


def fixed():
    return fit(SmoothSalinity)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
