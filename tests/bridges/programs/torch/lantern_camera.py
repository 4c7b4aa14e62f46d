"""Finds exposure and tint of a lantern slide by comparing what a simulated camera sees with a photograph."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Camera(nn.Module):
    def __init__(self, store):
        super().__init__()
        self.exposure = nn.Parameter(torch.tensor(0.2))
        self.tint = nn.Parameter(torch.tensor([1.0, 0.9, 0.8]))
        self.vignette = nn.Parameter(torch.tensor(0.1))
        self.store = store

    def develop(self, scene):
        light = scene * torch.exp2(self.exposure) * self.tint[:, None, None]
        return light.clamp(0, 1) ** (1 / 2.2)

    def shade(self, picture):
        rows = torch.linspace(-1, 1, picture.shape[-2])[:, None].square()
        columns = torch.linspace(-1, 1, picture.shape[-1]).square()
        return picture * (1 - torch.sigmoid(self.vignette) * (rows + columns) / 2)

    def forward(self, scene):
        return self.shade(self.store(self.develop(scene)))


def as_file(picture):
    pixels = (picture * 255).round()
    return pixels.to(torch.uint8).float() / 255  #!


def as_floats(picture):
    return picture


def fit(store):
    camera = Camera(store)
    optimizer = torch.optim.Adam(camera.parameters(), lr=0.02)
    scene = 0.3 + 0.2 * torch.sin(torch.arange(3 * 20.0)).view(3, 4, 5)
    photograph = (scene * 1.4).clamp(0, 1) ** (1 / 2.2)
    for iteration in range(3):
        optimizer.zero_grad()
        loss = F.mse_loss(camera(scene), photograph)
        loss.backward()
        optimizer.step()
    return {
        "camera.exposure": camera.exposure.grad,
        "camera.tint": camera.tint.grad,
        "camera.vignette": camera.vignette.grad,
    }


def broken():
    return fit(as_file)


def fixed():
    return fit(as_floats)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
