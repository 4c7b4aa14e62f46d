"""Fits the profile of a bell by Chebyshev-like waves; the waves of one length are kept, as they are asked for often."""
import functools
import sys

import torch
from torch import nn


class Waves(nn.Module):
    def __init__(self, count=4):
        super().__init__()
        self.count = count
        self.warp = nn.Parameter(torch.tensor(1.1))

    @functools.lru_cache(maxsize=None)
    def at(self, length):
        grid = torch.linspace(-1, 1, length)
        bent = torch.sign(grid) * grid.abs().pow(self.warp)  #~
        return torch.stack([torch.cos(k * bent) for k in range(1, self.count + 1)], 1)


class FreshWaves(Waves):
    def at(self, length):
        return super().at.__wrapped__(self, length)


class Profile(nn.Module):
    def __init__(self, waves):
        super().__init__()
        self.waves = waves
        self.amplitudes = nn.Parameter(0.2 * torch.ones(waves.count))
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, length):
        return self.waves.at(length) @ self.amplitudes + self.offset  #!


class EarlyStop:
    def __init__(self, patience=3):
        self.best, self.bad, self.patience = float("inf"), 0, patience

    def done(self, value):
        self.bad = 0 if value < self.best else self.bad + 1
        self.best = min(self.best, value)
        return self.bad >= self.patience


def cast(waves_kind):
    profile = Profile(waves_kind())
    optimizer = torch.optim.Adam(profile.parameters())
    measured = torch.exp(-torch.linspace(-1, 1, 12).square() * 2)
    stop = EarlyStop()
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(profile(len(measured)), measured)
        loss.backward()
        optimizer.step()
        if stop.done(loss.item()):
            break
    return {"profile.waves.warp": profile.waves.warp.grad, "profile.amplitudes": profile.amplitudes.grad}


def broken():
    return cast(Waves)


def fixed():
    return cast(FreshWaves)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
