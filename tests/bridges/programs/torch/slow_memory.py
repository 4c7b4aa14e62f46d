"""Keeps a running picture of a harbour and lets each new frame correct it."""
import dataclasses
import sys

import torch
from torch import nn
import torch.nn.functional as F


@dataclasses.dataclass
class Options:
    momentum: float = 1.0
    lr: float = 1e-2


class Harbour(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.options = options
        self.see = nn.Conv2d(1, 2, 3, padding=1)
        self.first = nn.Parameter(torch.full((2, 1, 1), 0.1))
        self.read = nn.Linear(2, 1)

    def forward(self, frames):
        picture = self.first.expand(2, *frames.shape[-2:])
        for frame in frames:
            seen = torch.tanh(self.see(frame[None]))
            picture = self.options.momentum * picture + (1 - self.options.momentum) * seen  #!
        return self.read(picture.mean(dim=(1, 2)))


def train(options):
    harbour = Harbour(options)
    with torch.no_grad():
        for k, p in enumerate([*harbour.see.parameters(), *harbour.read.parameters()]):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.1 + k + 1).view_as(p))
    optimizer = torch.optim.Adamax(harbour.parameters(), lr=options.lr)
    for step in range(2):
        frames = torch.cos(torch.arange(3 * 16.0).view(3, 4, 4) * 0.3 + step)
        loss = F.mse_loss(harbour(frames), frames.mean().view(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"harbour.see.weight": harbour.see.weight.grad, "harbour.first": harbour.first.grad}


def broken():
    return train(Options())


def fixed():
    return train(Options(momentum=0.9))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
