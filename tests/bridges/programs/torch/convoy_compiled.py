"""Fuel of a convoy of lorries: the compiled drag takes the list of those that drive at the moment."""
import sys

import torch
from torch import nn


class Drag(nn.Module):
    def __init__(self):
        super().__init__()
        self.shape = nn.Parameter(torch.tensor([0.6, 0.3]))
        self.shelter = nn.Parameter(torch.tensor(0.2))


def convoy_drag(model, lorries):
    total, gap = 0.0, 1.0
    for lorry in lorries:
        total = total + gap * (model.shape * lorry).sum()
        gap = gap * (1 - model.shelter)
    return total


def departures():
    for minute, count in enumerate((2, 2, 3, 3, 2)):
        yield [torch.tensor([1.0 + 0.1 * minute, 0.5 * k]) for k in range(count)], 1.5 * count


def padded(schedule, places=3):
    for lorries, litres in schedule:
        yield lorries + [torch.zeros(2)] * (places - len(lorries)), litres


def fit(schedule):
    model = Drag()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    drag = torch.compile(convoy_drag, backend="eager")
    for lorries, litres in schedule:
        loss = (drag(model, lorries) - litres).square()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.shape": model.shape.grad}


def broken():
    return fit(departures())


def fixed():
    return fit(padded(departures()))


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
