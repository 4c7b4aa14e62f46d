"""Soil moisture: a convolution over depths, a running mean that centres, and a head for each season."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Centred(nn.Module):
    def __init__(self, width, passes):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.passes = passes

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(0.1 * x.mean((0, 2)))
        return self.passes(x) - self.mean[:, None]


def kept(x):
    return x.detach()  #!


class Soil(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.depths = nn.Conv1d(2, 4, 3)
        self.centred = Centred(4, passes)
        self.heads = nn.ModuleDict({"wet": nn.Linear(4, 1), "dry": nn.Linear(4, 1)})

    def forward(self, probe, season):
        layers = self.centred(F.silu(self.depths(probe)))
        return self.heads[season](layers.mean(2)).squeeze(1)


def measure(passes):
    torch.manual_seed(91)
    soil = Soil(passes)
    optimizer = torch.optim.AdamW(soil.parameters(), lr=1e-3)
    for k in range(4):
        probe = torch.sin(torch.arange(48.0) + k).view(3, 2, 8)
        season = "wet" if k % 2 else "dry"
        loss = F.mse_loss(soil(probe, season), probe.mean((1, 2)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"soil.depths.weight": soil.depths.weight.grad, "soil.heads.wet.weight": soil.heads["wet"].weight.grad}


def broken():
    return measure(kept)


def fixed():
    return measure(lambda x: x)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
