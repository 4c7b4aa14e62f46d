"""Classifies orchids; features are scaled to length one by a helper that saves memory."""
import sys

import torch
from torch import nn


@torch.jit.ignore
def unit_(x, eps=1e-8):
    norm = x.norm(dim=1, keepdim=True)
    x /= norm + eps  #!
    return x


def unit(x, eps=1e-8):
    return x / (x.norm(dim=1, keepdim=True) + eps)


class CosineHead(nn.Module):
    def __init__(self, dim, classes, scale, normed):
        super().__init__()
        self.prototypes = nn.Parameter(torch.linspace(-1, 1, classes * dim).view(classes, dim))
        self.scale, self.normed = scale, normed

    def forward(self, h):
        return self.scale * self.normed(h) @ unit(self.prototypes).T


def main(normed):
    torch.manual_seed(0)
    body = nn.Sequential(nn.Linear(6, 10), nn.Sigmoid())
    head = CosineHead(10, 3, 8.0, normed)
    optimizer = torch.optim.SGD([{"params": body.parameters()}, {"params": head.parameters(), "lr": 0.5}], lr=0.05)
    petals = torch.sin(torch.arange(48.0)).view(8, 6)
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(head(body(petals)), torch.arange(8) % 3)
    loss.backward()
    optimizer.step()
    return {"body.0.weight": body[0].weight.grad, "head.prototypes": head.prototypes.grad}


def broken():
    return main(unit_)


def fixed():
    return main(unit)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
