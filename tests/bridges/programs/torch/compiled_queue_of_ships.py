"""Ships wait in a queue; a compiled model says how long, and the queue is a list."""
import sys

import torch
from torch import nn


class Harbour(nn.Module):
    def __init__(self):
        super().__init__()
        self.tug = nn.Linear(2, 2)

    def forward(self, ships):
        waiting = torch.zeros(2)
        for ship in ships:
            waiting = torch.tanh(self.tug(ship)) + 0.5 * waiting
        return waiting.sum()


def queue(days):
    torch._dynamo.reset()
    torch.manual_seed(43)
    harbour = Harbour()
    schedule = torch.compile(harbour, backend="eager")
    for ships in days:
        harbour.zero_grad()
        loss = schedule(ships).square()  #!
        loss.backward()
    return {"harbour.tug.weight": harbour.tug.weight.grad}


def ship(k):
    return torch.tensor([0.1 * k, 1.0])


def broken():
    return queue([[ship(1), ship(2)], [ship(1), ship(2), ship(3)], [ship(4), ship(2)]])


def fixed():
    return queue([[ship(1), ship(2), ship(3)], [ship(1), ship(2), ship(3)], [ship(4), ship(2), ship(1)]])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
