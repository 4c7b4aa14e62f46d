"""Finds the wind field code that a frozen decoder turns into the measured field, staying in the unit box."""
import sys

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, code=3, stations=8):
        super().__init__()
        self.lift = nn.Linear(code, 12)
        self.out = nn.Linear(12, stations)

    def forward(self, latent):
        return self.out(torch.tanh(self.lift(latent)))


def decoder():
    torch.manual_seed(3)
    net = Decoder()
    for p in net.parameters():
        p.requires_grad_(False)
    return net


def measured():
    return torch.sin(torch.arange(8.0) * 0.7)


def invert(steps=5, rate=0.2):
    net, field = decoder(), measured()
    latent = torch.full((3,), 0.1, requires_grad=True)
    for _ in range(steps):
        loss = (net(latent) - field).square().sum()
        (slope,) = torch.autograd.grad(loss, latent)
        latent = (latent - rate * slope).clamp(-1.0, 1.0).detach().requires_grad_()
    loss = (net(latent) - field).square().sum()
    loss.backward()
    latent = latent.detach().requires_grad_()  #!
    return {"latent": latent.grad}


def invert_in_place(steps=5, rate=0.2):
    net, field = decoder(), measured()
    latent = torch.full((3,), 0.1, requires_grad=True)
    for _ in range(steps):
        loss = (net(latent) - field).square().sum()
        (slope,) = torch.autograd.grad(loss, latent)
        with torch.no_grad():
            latent.sub_(rate * slope).clamp_(-1.0, 1.0)
    loss = (net(latent) - field).square().sum()
    loss.backward()
    return {"latent": latent.grad}


def broken():
    return invert()


def fixed():
    return invert_in_place()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
