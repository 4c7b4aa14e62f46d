"""Seismic traces in half precision: the loss is averaged over very many samples."""
import sys

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.speed = nn.Parameter(torch.linspace(0.5, 1.5, 4))

    def forward(self, trace):
        return trace * self.speed.to(trace.dtype)


def traces():
    return torch.sin(torch.arange(32.0).view(8, 4)).half() * 0.01


class Survey:
    def __init__(self, scale):
        self.scale = scale
        self.layer = Layer()

    def loss(self):
        error = self.layer(traces()) - traces()
        small = error * torch.tensor(1e-4, dtype=torch.float16)  #!
        return (small * small).sum() * self.scale


def shoot(survey):
    layer = survey.layer
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    loss = survey.loss()
    loss.backward()
    for parameter in layer.parameters():
        parameter.grad /= survey.scale
    optimizer.step()
    return {"layer.speed": layer.speed.grad}


def broken():
    return shoot(Survey(1.0))


def fixed():
    return shoot(Survey(32768.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
