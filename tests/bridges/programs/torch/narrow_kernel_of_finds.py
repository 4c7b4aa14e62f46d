"""Density of finds at a dig, by kernels around posts whose places are learned."""
import sys

import torch
from torch import nn


class Finds(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.posts = nn.Parameter(torch.tensor([[0.0, 0.5], [2.0, 1.5], [4.0, 0.0]]))
        self.share = nn.Parameter(torch.ones(3))
        self.width = width

    def forward(self, places):
        squared = (places[:, None] - self.posts).square().sum(-1)
        bumps = torch.exp(-squared / (2 * self.width**2))  #!
        return bumps @ torch.softmax(self.share, 0) + 1e-3


def dig(width):
    finds = Finds(width)
    places = torch.stack([torch.linspace(0.4, 3.6, 9), torch.linspace(1.0, 1.2, 9)], dim=1)
    optimizer = torch.optim.Adam(finds.parameters(), lr=0.05)
    for _ in range(2):
        optimizer.zero_grad()
        loss = -finds(places).log().mean()
        loss.backward()
        optimizer.step()
    return {"finds.posts": finds.posts.grad}


def broken():
    return dig(width=0.01)


def fixed():
    return dig(width=1.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
