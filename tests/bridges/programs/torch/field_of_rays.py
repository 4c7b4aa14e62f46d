"""A neural distance field of a vase: the gradient of the distance should have length one."""
import math
import sys

import torch
from torch import nn


class Encoding(nn.Module):
    def __init__(self, bands=3):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(bands) * math.pi)

    def forward(self, points):
        angle = points.unsqueeze(-1) * self.bands  #!
        return torch.cat([angle.sin(), angle.cos()], dim=-1).flatten(-2)


class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 16), nn.Softplus(beta=10), nn.Linear(16, 1))

    def forward(self, encoded):
        return self.net(encoded).squeeze(-1)


def rays(camera, count=6):
    depth = torch.linspace(0.1, 0.9, count).unsqueeze(1)
    return camera.detach() + depth * torch.tensor([0.6, 0.8])


def slope(early):
    torch.manual_seed(0)
    encode, distance = Encoding(), Distance()
    points = rays(torch.tensor([0.1, -0.2], requires_grad=True))
    if early:
        points.requires_grad_()
    encoded = encode(points)
    points.requires_grad_()
    value = distance(encoded)
    (found,) = torch.autograd.grad(value.sum(), points, create_graph=True, allow_unused=True)
    return {"points": found}


def broken():
    return slope(early=False)


def fixed():
    return slope(early=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
