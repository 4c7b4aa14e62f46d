"""Corrects rain gauges for wind; some stations send their readings through NumPy."""
import sys

import numpy as np
import torch
from torch import nn


class Correction(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.Parameter(torch.tensor(0.05))
        self.height = nn.Parameter(torch.tensor(0.3))

    @torch.compile(backend="aot_eager")
    def forward(self, rain, wind):
        caught = torch.exp(-self.loss * wind * (1 + self.height))
        return rain / caught.clamp(min=0.1)


def from_logger(k):
    return torch.linspace(0.1, 2.0, 6) + 0.1 * k


def from_table(k):
    return torch.from_numpy(np.linspace(0.1, 2.0, 6) + 0.1 * k)


def from_table_float(k):
    return from_table(k).float()


def train(table):
    model = Correction()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    wind = torch.linspace(0, 6, 6)
    for k, station in enumerate([from_logger, from_logger, table, from_logger]):
        rain = station(k)
        optimizer.zero_grad()
        corrected = model(rain, wind)  #!
        loss = (corrected - 1.3 * rain).square().mean()
        loss.backward()
        optimizer.step()
    return {"model.loss": model.loss.grad, "model.height": model.height.grad}


def broken():
    return train(from_table)


def fixed():
    return train(from_table_float)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
