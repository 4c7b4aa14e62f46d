"""Voices organ stops: pipes share a table of harmonics that is computed once."""
import sys

import torch
from torch import nn


class Organ(nn.Module):
    def __init__(self, pipes=3, harmonics=4):
        super().__init__()
        self.decay = nn.Parameter(torch.full((pipes,), 0.5))
        self.level = nn.Parameter(torch.ones(pipes))
        self.register_buffer("order", torch.arange(1.0, harmonics + 1))

    def table(self):
        return torch.exp(-self.decay[:, None] * self.order[None, :])

    def loudness(self, table, keys):
        return (self.level[keys, None] * table[keys]).sum(dim=1)  #!


def voice(shared):
    organ = Organ()
    optimizer = torch.optim.Adam(organ.parameters(), lr=1e-2)
    table = organ.table()
    for keys in (torch.tensor([0, 1]), torch.tensor([1, 2]), torch.tensor([0, 2])):
        optimizer.zero_grad()
        if not shared:
            table = organ.table()
        loss = (organ.loudness(table, keys) - 1.5).square().mean()
        loss.backward()
        optimizer.step()
    return {"organ.decay": organ.decay.grad}


def broken():
    return voice(shared=True)


def fixed():
    return voice(shared=False)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
