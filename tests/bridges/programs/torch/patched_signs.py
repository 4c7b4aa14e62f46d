"""Looks for the pixels of traffic signs that a sticker would disturb most."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2)
        self.fc = nn.Linear(4 * 3 * 3, 5)

    def forward(self, x):
        return self.fc(F.leaky_relu(self.conv(x)).flatten(1))


def paste(images, sticker, top, left):
    height, width = sticker.shape[-2:]
    images[..., top:top + height, left:left + width] = sticker  #!
    return images


def paste_copy(images, sticker, top, left):
    return paste(images.clone(), sticker, top, left)


def sensitivity(net, images, labels, sticker, put):
    images.requires_grad_()
    loss = F.cross_entropy(net(put(images, sticker, 1, 2)), labels)
    loss.backward()
    return images.grad.abs().amax(dim=1)


def study(put):
    torch.manual_seed(4)
    net = SmallNet().eval().requires_grad_(False)
    images = torch.sin(torch.arange(2 * 3 * 7 * 7.0)).reshape(2, 3, 7, 7)
    sticker = torch.full((3, 2, 2), 0.8)
    heat = sensitivity(net, images, torch.tensor([0, 3]), sticker, put)
    print(heat.shape)
    return {"images": images.grad}


def broken():
    return study(paste)


def fixed():
    return study(paste_copy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
