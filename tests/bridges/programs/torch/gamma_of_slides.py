"""Restores the colours of old slides: a mixing matrix, then a learned gamma for each channel."""
import sys

import torch
from torch import nn


class Restorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.tensor([[1.1, -0.3, 0.0], [-0.2, 1.2, -0.1], [0.0, -0.2, 1.0]]))
        self.gamma = nn.Parameter(torch.tensor([0.9, 1.1, 0.8]))
        self.lift = nn.Parameter(torch.zeros(3))

    def curve(self, light):
        return light ** self.gamma  #!

    def forward(self, slide):
        return self.curve(slide @ self.mix.T) + self.lift


class ClampedRestorer(Restorer):
    def curve(self, light):
        return light.clamp(min=1e-4) ** self.gamma


class Slides:
    """Small grey wedges with a cast of red; the blue of the last one has nearly gone."""

    def __init__(self, count=4, pixels=6):
        wedge = torch.linspace(0.1, 0.9, pixels)
        cast = torch.tensor([[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.1, 0.0, -0.02], [0.6, 0.0, -0.05]])
        self.faded = (wedge[None, :, None] + cast[:count, None, :]).clamp(0, 1)
        self.truth = wedge[None, :, None].expand(count, pixels, 3)

    def __len__(self):
        return len(self.faded)

    def __getitem__(self, k):
        return self.faded[k], self.truth[k]


def restore(kind):
    restorer = kind()
    optimizer = torch.optim.Adam(restorer.parameters(), lr=1e-2)
    loader = torch.utils.data.DataLoader(Slides(), batch_size=2)
    for faded, truth in loader:
        optimizer.zero_grad()
        loss = (restorer(faded) - truth).square().mean()
        loss.backward()
        optimizer.step()
    return {"restorer.mix": restorer.mix.grad, "restorer.gamma": restorer.gamma.grad}


def broken():
    return restore(Restorer)


def fixed():
    return restore(ClampedRestorer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
