"""Where on the loom a thread is taken from: a learned place, read from the pattern."""
import sys

import torch
from torch import nn


class NearestPick(nn.Module):
    def __init__(self, threads=4):
        super().__init__()
        self.place = nn.Parameter(torch.linspace(0.1, 0.8, threads))
        self.dye = nn.Linear(threads, 2)

    def pick(self, pattern):
        column = (self.place * (pattern.shape[1] - 1)).to(torch.int64)  #!
        return pattern[:, column]

    def forward(self, pattern):
        return self.dye(self.pick(pattern))


class BlendedPick(NearestPick):
    def pick(self, pattern):
        at = self.place * (pattern.shape[1] - 1)
        low = at.detach().floor().long()
        share = at - low
        return pattern[:, low] * (1 - share) + pattern[:, low + 1] * share


def weave(kind):
    torch.manual_seed(1)
    loom = kind()
    pattern = torch.sin(torch.arange(60.0).view(5, 12) * 0.4)
    cloth = torch.stack([pattern.mean(1), pattern.amax(1)], 1)
    loss = nn.functional.mse_loss(loom(pattern), cloth)
    loss.backward()
    return {"loom.place": loom.place.grad, "loom.dye.weight": loom.dye.weight.grad}


def broken():
    return weave(NearestPick)


def fixed():
    return weave(BlendedPick)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
