"""Which millstone a sack came from: attention over stones whose readings are in newtons."""
import sys

import torch
from torch import nn


class StoneAttention(nn.Module):
    def __init__(self, scale, width=4):
        super().__init__()
        self.ask = nn.Linear(3, width, bias=False)
        self.tell = nn.Linear(3, width, bias=False)
        self.give = nn.Linear(3, 2)
        self.scale = scale

    def forward(self, sacks, stones):
        match = self.ask(sacks) @ self.tell(stones).t() * self.scale
        share = match.softmax(dim=-1)  #!
        return share @ self.give(stones / 1000)


def grind(scale):
    torch.manual_seed(17)
    miller = StoneAttention(scale)
    with torch.no_grad():
        miller.ask.weight.copy_(torch.eye(4, 3))
        miller.tell.weight.copy_(torch.eye(4, 3))
    stones = torch.tensor([[900.0, 100.0, 30.0], [80.0, 950.0, 20.0], [60.0, 40.0, 880.0]])
    sacks = torch.tensor([[400.0, 10.0, 30.0], [20.0, 500.0, 10.0], [30.0, 0.0, 600.0], [300.0, 20.0, 0.0]])
    out = miller(sacks, stones)
    loss = nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0]))
    loss.backward()
    return {"miller.ask.weight": miller.ask.weight.grad, "miller.give.weight": miller.give.weight.grad}


def broken():
    return grind(scale=1.0)


def fixed():
    return grind(scale=1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
