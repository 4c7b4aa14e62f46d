"""Thickness of ice from pictures of a lake, with the bias set to what the thickness usually is."""
import sys

import torch
from torch import nn


class IceBlock(nn.Module):
    def __init__(self, inside, outside, start):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, padding=1)
        nn.init.constant_(self.conv.bias, start)

    def forward(self, image):
        return torch.relu(self.conv(image))  #!


class IceNet(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.first = IceBlock(1, 4, 0.1)
        self.second = IceBlock(4, 4, start)
        self.depth = nn.Linear(4, 1)

    def forward(self, image):
        seen = self.second(self.first(image))
        return self.depth(seen.mean(dim=(2, 3))).squeeze(1)


def grow(start):
    torch.manual_seed(31)
    ice = IceNet(start)
    image = torch.sin(torch.arange(3 * 64.0) * 0.1).view(3, 1, 8, 8)
    thickness = torch.tensor([0.1, 0.3, 0.2])
    optimizer = torch.optim.Adam(ice.parameters(), lr=1e-3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(ice(image), thickness)
        loss.backward()
        optimizer.step()
    return {"ice.first.conv.weight": ice.first.conv.weight.grad, "ice.depth.bias": ice.depth.bias.grad}


def broken():
    return grow(-6.0)


def fixed():
    return grow(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
