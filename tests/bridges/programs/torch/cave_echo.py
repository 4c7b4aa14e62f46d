"""Echoes in a cave: a fixed encoder hears, a decoder learns."""
import sys

import torch
from torch import nn


class Cave:
    def __init__(self):
        self.encoder = nn.Linear(4, 3)
        self.decoder = nn.Linear(3, 4)
        nn.init.constant_(self.encoder.weight, 0.2)
        nn.init.constant_(self.decoder.weight, 0.3)
        self.encoder.requires_grad_(False)

    @torch.inference_mode()
    def hear(self, sound):
        return torch.tanh(self.encoder(sound))  #!

    def echo(self, sound):
        return self.decoder(self.hear(sound))  #~


class OpenCave(Cave):
    @torch.no_grad()
    def hear(self, sound):
        return torch.tanh(self.encoder(sound))


def learn(cave):
    decoder = cave.decoder
    sound = torch.sin(torch.arange(8.0)).view(2, 4)
    loss = (cave.echo(sound) - sound).square().mean()
    loss.backward()
    return {"decoder.weight": decoder.weight.grad}


def broken():
    return learn(Cave())


def fixed():
    return learn(OpenCave())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
