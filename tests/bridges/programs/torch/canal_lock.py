"""A residual network for the levels of a canal's locks."""
import sys

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, phase, careful):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 4)
        self.careful = careful
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) + phase + k).view_as(p))

    def join(self, out, skip):
        if self.careful:
            return out + skip
        out += skip  #!
        return out

    def forward(self, level):
        out = torch.sigmoid(self.gate(level)) * self.inner(level)
        out = torch.tanh(out)
        return self.join(out, level)


def train(careful):
    locks = nn.Sequential(Residual(0.0, careful), Residual(1.0, careful), nn.Linear(4, 1))
    nn.init.constant_(locks[2].weight, 0.2)
    nn.init.zeros_(locks[2].bias)
    levels, wanted = torch.cos(torch.arange(20.0)).view(5, 4), torch.linspace(0.0, 1.0, 5)
    hidden = torch.zeros(5, 4)
    hidden += levels
    optimizer = torch.optim.Adagrad(locks.parameters(), lr=0.05)
    for _ in range(2):
        optimizer.zero_grad()
        (locks(hidden).squeeze(1) - wanted).square().mean().backward()
        optimizer.step()
    return {"locks.0.inner.weight": locks[0].inner.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
