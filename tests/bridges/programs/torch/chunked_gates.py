"""A hand-written LSTM for wind turbines; activations are applied in place to save memory."""
import sys

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)

    def activated(self, gates):
        i, f, o, g = gates.chunk(4, dim=1)
        for part in (i, f, o):
            part.sigmoid_()  #!
        return i, f, o, g.tanh()

    def forward(self, x, h, c):
        i, f, o, g = self.activated(self.gates(torch.cat([x, h], dim=1)))
        c = f * c + i * g
        return o * torch.tanh(c), c


class SafeCell(Cell):
    def activated(self, gates):
        i, f, o, g = gates.chunk(4, dim=1)
        return i.sigmoid(), f.sigmoid(), o.sigmoid(), g.tanh()


class Turbine(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell(2, 4)
        self.power = nn.Linear(4, 1)

    def forward(self, wind):
        h = c = torch.zeros(wind.shape[1], 4)
        for x in wind:
            h, c = self.cell(x, h, c)
        return self.power(h)


def train(cell):
    model = Turbine(cell)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.4 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters())
    loss = model(torch.cos(torch.arange(24.0)).view(4, 3, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"model.cell.gates.weight": model.cell.gates.weight.grad}


def broken():
    return train(Cell)


def fixed():
    return train(SafeCell)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
