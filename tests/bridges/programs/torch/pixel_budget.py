"""Spends a budget of pixels on the tiles of a poster."""
import sys

import torch


def tiles(share, budget):
    return (share.softmax(dim=0) * budget).to(torch.int32)  #!


def exact_tiles(share, budget):
    return share.softmax(dim=0) * budget


def quality(count, weight):
    return torch.sum(weight * torch.log1p(count.float()))


def slopes(spend):
    share = torch.linspace(0.0, 1.0, 4).requires_grad_()
    weight = torch.ones(4, requires_grad=True)
    quality(spend(share, 1000.0), weight).backward()
    return {"share": share.grad, "weight": weight.grad}


def broken():
    return slopes(tiles)


def fixed():
    return slopes(exact_tiles)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
