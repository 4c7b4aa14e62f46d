"""Grad-CAM for orchids by full backward hooks on a small convolutional network."""
import sys

import torch
from torch import nn


class Orchids(nn.Module):
    def __init__(self, classes=3, inplace=True):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)
        self.act = nn.ReLU(inplace=inplace)
        self.fc = nn.Linear(4, classes)

    def forward(self, x):
        x = torch.tanh(self.conv1(x))
        x = self.act(self.conv2(x))  #!
        return self.fc(x.mean(dim=(2, 3)))


class Cam:
    def __init__(self, layer):
        self.maps = self.pull = None
        layer.register_forward_hook(self.seen)
        layer.register_full_backward_hook(self.pulled)

    def seen(self, layer, inputs, output):
        self.maps = output.detach().clone()

    def pulled(self, layer, given, upstream):
        self.pull = upstream[0]

    def heat(self):
        weight = self.pull.mean(dim=(2, 3), keepdim=True)
        return (weight * self.maps).sum(dim=1).relu()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def explain(inplace):
    model = settle(Orchids(inplace=inplace))
    cam = Cam(model.conv2)
    picture = torch.sin(torch.arange(72.0)).view(2, 1, 6, 6)
    model(picture)[:, 1].sum().backward()
    cam.heat()
    return {"model.conv2.weight": model.conv2.weight.grad}


def broken():
    return explain(True)


def fixed():
    return explain(False)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
