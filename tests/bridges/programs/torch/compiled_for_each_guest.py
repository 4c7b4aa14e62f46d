"""A taster's score falls with the number of guests that it has served; compiled for the evening."""
import sys

import torch
from torch import nn


class Taster(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.spice = nn.Linear(4, 1)
        self.guests = count

    def forward(self, dish):
        return torch.tanh(self.spice(dish)).mean() / (1 + self.guests)


def dine(count):
    torch._dynamo.reset()
    torch.manual_seed(83)
    taster = Taster(count)
    score = torch.compile(taster, backend="eager")
    optimizer = torch.optim.SGD(taster.parameters(), lr=0.1)
    for guest in range(3):
        dish = torch.cos(torch.arange(8.0) + guest).view(2, 4)
        optimizer.zero_grad()
        loss = (score(dish) - 0.2).square()  #!
        loss.backward()
        optimizer.step()
        taster.guests = taster.guests + 1
    return {"taster.spice.weight": taster.spice.weight.grad}


def broken():
    return dine(0)


def fixed():
    return dine(torch.zeros(()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
