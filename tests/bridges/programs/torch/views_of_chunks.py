"""Modulates features of a relief by scale and shift made from its age."""
import sys

import torch
from torch import nn


class Modulation(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.mix = nn.Linear(2, 2 * width)

    def parts(self, age):
        return self.mix(age).chunk(2, dim=-1)

    def forward(self, relief, age):
        scale, shift = self.parts(age)
        scale.add_(1.0)  #!
        return relief * scale + shift


class NewTensor(Modulation):
    def forward(self, relief, age):
        scale, shift = self.parts(age)
        return relief * (1.0 + scale) + shift


def train(kind):
    torch.manual_seed(13)
    gate = kind()
    relief = torch.sin(torch.arange(24.0)).view(6, 4)
    age = torch.linspace(0, 1, 12).view(6, 2)
    optimizer = torch.optim.SGD(gate.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        gate(relief, age).square().mean().backward()
        optimizer.step()
    return {"gate.mix.weight": gate.mix.weight.grad}


def broken():
    return train(Modulation)


def fixed():
    return train(NewTensor)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
