"""Classifies seeds in pieces of a batch that fit into memory; the gradients of the pieces add up."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class SeedNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3, padding=1)
        self.norm = nn.GroupNorm(3, 3)
        self.kind = nn.Linear(3, 3)

    def forward(self, picture):
        return self.kind(F.relu(self.norm(self.stem(picture))).mean(dim=(2, 3)))


def release(model):
    """Gives back what a piece does not need any more."""
    for p in model.parameters():
        p.grad = None  #!


def keep(model):
    pass


def accumulate(model, pictures, kinds, after, pieces=4):
    total = 0.0
    for picture, kind in zip(pictures.chunk(pieces), kinds.chunk(pieces)):
        loss = F.cross_entropy(model(picture), kind) / pieces
        loss.backward()
        total += loss.item()
        after(model)
    return total


def report(model):
    return {f"model.{name}": p.grad for name, p in model.named_parameters() if name != "norm.bias"}


def train(after):
    model = SeedNet()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 1.9 + k + 0.5).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
    pictures = torch.sin(torch.arange(128.0).view(8, 1, 4, 4) * 0.37)
    kinds = torch.arange(8) % 3
    for _ in range(2):
        optimizer.zero_grad()
        accumulate(model, pictures, kinds, after)
        optimizer.step()
    return report(model)


def broken():
    return train(release)


def fixed():
    return train(keep)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
