"""Moves points downhill by hand."""
import sys

import torch


def height(points):
    return (points.square().sum(1) - torch.cos(3 * points).sum(1)).sum()


def plain(points, rate):
    points -= rate * points.grad  #!


def quiet(points, rate):
    with torch.no_grad():
        points -= rate * points.grad


def train(update):
    points = torch.linspace(-1, 1, 6).view(3, 2).requires_grad_()
    for _ in range(3):
        points.grad = None
        height(points).backward()
        update(points, 0.05)
    return {"points": points.grad}


def broken():
    return train(plain)


def fixed():
    return train(quiet)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
