"""An attack on a classifier of minnows: the picture's own gradient."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Minnows(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3)
        self.head = nn.Linear(3, 2)

    def forward(self, picture):
        return self.head(F.softplus(self.stem(picture)).mean((2, 3)))  #!


def attack(late):
    torch.manual_seed(8)
    minnows = Minnows()
    for weight in minnows.parameters():
        weight.requires_grad_(weight.dim() > 1)
    picture = torch.sin(torch.arange(50.0)).view(2, 1, 5, 5)
    if not late:
        picture.requires_grad_()
    guess = minnows(picture)  #~
    loss = F.cross_entropy(guess, torch.tensor([0, 1]))
    if late:
        picture.requires_grad_()  #~
    loss.backward()
    return {"picture": picture.grad, "minnows.stem.weight": minnows.stem.weight.grad}


def broken():
    return attack(late=True)


def fixed():
    return attack(late=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
