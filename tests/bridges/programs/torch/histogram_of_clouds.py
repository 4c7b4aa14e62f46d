"""Painted clouds should have the brightness histogram of a photograph."""
import sys

import torch
from torch import nn


def histogram(pixels, bins=8):
    return torch.histc(pixels, bins=bins, min=0.0, max=1.0) / pixels.numel()  #!


def soft_histogram(pixels, bins=8):
    centres = (torch.arange(bins) + 0.5) / bins
    near = torch.exp(-((pixels.reshape(-1, 1) - centres) * bins).square())
    return near.sum(0) / pixels.numel()


class Sky(nn.Module):
    def __init__(self):
        super().__init__()
        self.brightness = nn.Conv2d(1, 1, 3, padding=1)
        self.ground = nn.Parameter(torch.full((4,), 0.2))

    def forward(self, sketch):
        return torch.sigmoid(self.brightness(sketch))


def paint(histogram_of):
    torch.manual_seed(9)
    sky = Sky()
    sketch = torch.sin(torch.arange(64.0)).view(1, 1, 8, 8)
    photograph = torch.linspace(0, 1, 64).square()
    wanted = histogram(photograph)
    picture = sky(sketch)
    tone = (histogram_of(picture) - wanted).abs().sum()
    loss = tone + (sky.ground - sketch[0, 0, -1, :4]).square().sum()
    loss.backward()
    return {"sky.brightness.weight": sky.brightness.weight.grad, "sky.ground": sky.ground.grad}


def broken():
    return paint(histogram)


def fixed():
    return paint(soft_histogram)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
