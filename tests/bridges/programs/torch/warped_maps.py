"""Aligns an old map with a new one by a learned affine warp."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Warp(nn.Module):
    """The shift is given in cells of the map."""

    def __init__(self, shift):
        super().__init__()
        self.linear = nn.Parameter(torch.eye(2))
        self.shift = nn.Parameter(torch.tensor(shift))

    def forward(self, image):
        theta = torch.cat([self.linear, self.shift.unsqueeze(1)], dim=1)
        grid = F.affine_grid(theta.expand(len(image), 2, 3), list(image.shape), align_corners=False)
        return F.grid_sample(image, grid, align_corners=False)  #!


def align(shift):
    warp = Warp(shift)
    rows, columns = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
    old = torch.sin(rows * 0.7 + columns * 0.4).view(1, 1, 8, 8)
    new = torch.sin(rows * 0.7 + columns * 0.4 + 0.6).view(1, 1, 8, 8)
    optimizer = torch.optim.Adam(warp.parameters(), lr=1e-2)
    for _ in range(3):
        loss = F.l1_loss(warp(old), new)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"warp.shift": warp.shift.grad, "warp.linear": warp.linear.grad}


def broken():
    return align([3.0, -2.5])


def fixed():
    return align([3.0 / 8, -2.5 / 8])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
