"""Restores frescoes: a control branch is attached to a trained network by convolutions that begin at zero."""
import copy
import sys

import torch
from torch import nn


def block(channels):
    return nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.SiLU())


class Painter(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.body = block(channels)
        self.out = nn.Conv2d(channels, channels, 1)


class ControlNet(nn.Module):
    def __init__(self, painter, start):
        super().__init__()
        self.painter = painter.requires_grad_(False)
        self.control = copy.deepcopy(painter.body).requires_grad_(True)
        self.bridge = nn.Conv2d(3, 3, 1)
        nn.init.constant_(self.bridge.weight, start)
        nn.init.zeros_(self.bridge.bias)

    def forward(self, image, sketch):
        h = self.painter.body(image)
        h = h + self.bridge(self.control(image + sketch))  #!
        return self.painter.out(h)


def restore(start):
    torch.manual_seed(0)
    net = ControlNet(Painter(), start)
    image = torch.sin(torch.arange(3 * 36.0)).view(1, 3, 6, 6)
    sketch = (image > 0.5).float()
    loss = (net(0.5 * image, sketch) - image).pow(2).mean()
    loss.backward()
    return {"net.control.0.weight": net.control[0].weight.grad, "net.bridge.weight": net.bridge.weight.grad}


def broken():
    return restore(0.0)


def fixed():
    return restore(0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
