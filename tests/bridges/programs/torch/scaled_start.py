"""A linear fit whose start is made small."""
import sys

import torch
import torch.nn.functional as F


def plain_start():
    return torch.linspace(-1, 1, 3, requires_grad=True) * 0.01  #!


def leaf_start():
    return (torch.linspace(-1, 1, 3) * 0.01).requires_grad_()


def train(start):
    weights = start()
    x = torch.cos(torch.arange(12.0)).view(4, 3)
    y = x.sum(1)
    loss = F.mse_loss(x @ weights, y)
    loss.backward()
    return {"weights": weights.grad}


def broken():
    return train(plain_start)


def fixed():
    return train(leaf_start)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
