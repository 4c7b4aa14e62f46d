"""Pitches of reeds; the gradients by all parameters are asked for by hand, for an optimizer of our own."""
import sys

import torch
from torch import nn


class Reeds(nn.Module):
    def __init__(self, octaves):
        super().__init__()
        self.low = nn.Linear(3, 4)
        self.high = nn.Linear(3, 4)  #!
        self.pitch = nn.Linear(4, 1)
        self.octaves = octaves

    def forward(self, breath):
        sound = self.low(breath)
        if "high" in self.octaves:  #~
            sound = sound + self.high(breath.square())
        return self.pitch(torch.tanh(sound))


def descend(parameters, gradients, rate=0.05):
    with torch.no_grad():
        for p, g in zip(parameters, gradients):
            p.sub_(rate * g)


def tune(strict):
    torch.manual_seed(10)
    reeds = Reeds(["low"] if strict else ["low", "high"])
    breath = torch.linspace(-1, 1, 18).view(6, 3)
    parameters = list(reeds.parameters())
    loss = (reeds(breath) - breath.prod(dim=1, keepdim=True)).square().mean()
    gradients = torch.autograd.grad(loss, parameters)
    descend(parameters, gradients)
    asked = dict(zip([name for name, _ in reeds.named_parameters()], gradients))
    return {"reeds.high.weight": asked["high.weight"]}


def broken():
    return tune(strict=True)


def fixed():
    return tune(strict=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
