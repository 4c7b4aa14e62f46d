"""Which ring an arrow hits, trained for what counts in the end: the share of misses."""
import sys

import torch
from torch import nn


class Archer(nn.Module):
    def __init__(self, rings=5):
        super().__init__()
        self.stance = nn.Linear(4, 10)
        self.ring = nn.Linear(10, rings)

    def forward(self, wind):
        return self.ring(torch.tanh(self.stance(wind)))


def hit_rate(logits, ring):
    guess = logits.argmax(dim=1)  #!
    return (guess != ring).float().mean()


def surprise(logits, ring):
    return nn.functional.cross_entropy(logits, ring)


def shoot(criterion):
    torch.manual_seed(14)
    archer = Archer()
    wind = torch.sin(torch.arange(40.0) * 0.5).view(10, 4)
    ring = torch.arange(10) % 5
    optimizer = torch.optim.SGD(archer.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        criterion(archer(wind), ring).backward()
        optimizer.step()
    return {"archer.stance.weight": archer.stance.weight.grad}


def broken():
    return shoot(hit_rate)


def fixed():
    return shoot(surprise)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
