"""One encoder, two losses, each with a backward of its own."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def apart(first, second):
    first.backward()
    second.backward()


def together(first, second):
    (first + second).backward()


def train(back):
    encoder = initialise(nn.Linear(5, 4))
    namer, sizer = initialise(nn.Linear(4, 3)), initialise(nn.Linear(4, 1))
    x = torch.sin(torch.arange(30.0)).view(6, 5)
    code = torch.tanh(encoder(x))  #~
    naming = F.cross_entropy(namer(code), torch.arange(6) % 3)  #~
    sizing = sizer(code).square().mean()  #!
    back(naming, sizing)
    return {"encoder.weight": encoder.weight.grad}


def broken():
    return train(apart)


def fixed():
    return train(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
