"""Smooths profiles of a dig with a bell whose width is learned."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Blur(nn.Module):
    def __init__(self, reach=3):
        super().__init__()
        self.log_width = nn.Parameter(torch.zeros(()))
        self.gain = nn.Parameter(torch.ones(()))
        self.register_buffer("offsets", torch.arange(-reach, reach + 1, dtype=torch.float32))

    def kernel(self):
        bell = torch.exp(-0.5 * (self.offsets / self.log_width.exp()) ** 2)
        return (bell / bell.sum()).view(1, 1, -1)

    def forward(self, profile):
        return self.gain * F.conv1d(profile, self.kernel(), padding="same")


class Wrapped(Blur):
    def kernel(self):
        bell = super().kernel()
        fresh = nn.Parameter(bell)  #!
        return fresh


def widths(kind):
    model = kind()
    profile = torch.cos(torch.arange(40) * 0.9).view(2, 1, 20)
    wanted = profile.roll(1, dims=2) * 0.5
    for _ in range(2):
        model.zero_grad()
        loss = F.mse_loss(model(profile), wanted)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                if p.grad is not None:
                    p -= 0.1 * p.grad
    return {"model.log_width": model.log_width.grad, "model.gain": model.gain.grad}


def broken():
    return widths(Wrapped)


def fixed():
    return widths(Blur)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
