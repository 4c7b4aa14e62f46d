"""Places notes on a piano roll; the pitch is learned, the key is looked up."""
import sys

import torch
from torch import nn


class Roll(nn.Module):
    def __init__(self):
        super().__init__()
        self.pitch = nn.Parameter(torch.tensor([1.2, 3.7, 5.1]))
        self.loudness = nn.Parameter(torch.tensor([0.5, 0.8, 0.3]))
        self.register_buffer("keys", torch.linspace(1.0, 2.0, 8))

    def tones(self):
        return self.keys[self.pitch.long()]  #!

    def forward(self):
        return self.tones() * self.loudness


class SmoothRoll(Roll):
    def tones(self):
        low = self.pitch.floor().long()
        part = self.pitch - low
        return self.keys[low] * (1.0 - part) + self.keys[low + 1] * part


def compose(roll):
    melody = torch.tensor([0.6, 1.1, 0.5])
    optimizer = torch.optim.SGD(roll.parameters(), lr=0.05)
    for _ in range(2):
        loss = (roll() - melody).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"roll.pitch": roll.pitch.grad, "roll.loudness": roll.loudness.grad}


def broken():
    roll = Roll()
    return compose(roll)


def fixed():
    roll = SmoothRoll()
    return compose(roll)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
