"""The colour of a lamp, fitted to what a camera saw."""
import sys

import torch

camera = torch.tensor([[0.9, 0.2, 0.1], [0.3, 0.8, 0.2], [0.1, 0.1, 0.7]])
seen = torch.tensor([0.6, 0.5, 0.3])


def loss_of(colour, exposure):
    picture = camera @ colour * exposure.exp()  #~
    return (picture - seen).abs().sum()


def gradients(colour, exposure):
    loss_of(colour, exposure).backward()
    return {"colour": colour.grad, "exposure": exposure.grad}


def broken():
    colour = torch.tensor([0.5, 0.5, 0.2])  #!
    exposure = torch.zeros((), requires_grad=True)
    return gradients(colour, exposure)


def fixed():
    colour = torch.tensor([0.5, 0.5, 0.2], requires_grad=True)
    exposure = torch.zeros((), requires_grad=True)
    return gradients(colour, exposure)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
