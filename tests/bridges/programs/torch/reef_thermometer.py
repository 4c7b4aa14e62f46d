"""Calibrated classes of corals: a network and a temperature fitted on a validation set."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Calibrated(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.SiLU(), nn.Linear(8, classes))
        self.bias = nn.Parameter(torch.zeros(classes))
        start = torch.full((1,), 1.5)  #!
        self.hold("temperature", start)  #~

    def hold(self, name, value):
        self.register_buffer(name, value)  #~

    def forward(self, spectrum):
        return self.net(spectrum) / self.temperature + self.bias


class Learned(Calibrated):
    def hold(self, name, value):
        self.register_parameter(name, nn.Parameter(value))


def spectra(count, shift):
    x = torch.cos(torch.arange(count * 5) * 0.41 + shift).view(count, 5)
    return x, (torch.arange(count) * 7 + 1) % 4


def pretrain(model):
    optimizer = torch.optim.Adam(model.net.parameters(), lr=0.02)
    x, y = spectra(16, 0.0)
    for _ in range(4):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    model.net.requires_grad_(False)


def calibrate(kind):
    torch.manual_seed(9)
    model = kind()  #~
    pretrain(model)
    model.zero_grad()
    x, y = spectra(12, 1.3)
    for _ in range(3):
        nll = F.cross_entropy(model(x), y)
        nll.backward()
    return {"model.temperature": model.temperature.grad, "model.bias": model.bias.grad}


def broken():
    return calibrate(Calibrated)


def fixed():
    return calibrate(Learned)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
