"""A compiled model of sluices that opens a gate further where the water is high."""
import sys

import torch
from torch import nn


class Sluice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inflow = nn.Linear(3, 5)
        self.outflow = nn.Linear(5, 1)

    def gate(self, level):
        if float(level.max()) > 0.5:  #!
            level = level * 0.9
        return level

    def forward(self, rain):
        level = torch.tanh(self.inflow(rain))
        return self.outflow(self.gate(level)).squeeze(1)


class Branchless(Sluice):
    def gate(self, level):
        return torch.where(level.max() > 0.5, level * 0.9, level)


def train(kind):
    torch.manual_seed(22)
    model = kind()
    predict = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    rain = torch.cos(torch.arange(18.0) * 0.4).view(6, 3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (predict(rain) - rain.sum(1)).square().mean()
        loss.backward()
        optimizer.step()
    return {"model.inflow.weight": model.inflow.weight.grad}


def broken():
    return train(Sluice)


def fixed():
    return train(Branchless)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
