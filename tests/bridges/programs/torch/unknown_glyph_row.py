"""Names of pharaohs, glyph by glyph; the first row of the table stands for a glyph that nobody can read."""
import sys

import torch
from torch import nn


class Cartouche(nn.Module):
    def __init__(self, glyphs=9, width=4):
        super().__init__()
        self.glyph = nn.Embedding(glyphs, width)
        self.lstm = nn.LSTM(width, 6, batch_first=True)
        self.ruler = nn.Linear(6, 3)

    def forward(self, names):
        _, (hidden, _) = self.lstm(self.glyph(names))
        return self.ruler(hidden[-1])


def zero_plainly(scribe):
    scribe.glyph.weight[0] = 0.0  #!


def zero_unrecorded(scribe):
    with torch.no_grad():
        scribe.glyph.weight[0] = 0.0


def run(zero):
    torch.manual_seed(12)
    scribe = Cartouche()
    zero(scribe)
    names = torch.arange(20).view(4, 5) % 9
    loss = nn.functional.cross_entropy(scribe(names), torch.tensor([0, 1, 2, 0]))
    loss.backward()
    return {"scribe.glyph.weight": scribe.glyph.weight.grad}


def broken():
    return run(zero_plainly)


def fixed():
    return run(zero_unrecorded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
