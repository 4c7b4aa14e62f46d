"""Learns how much each noisy measurement of a scale should count, by what one step of the weigher does to clean ones."""
import sys

import torch
from torch import nn


class ExampleWeigher(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())

    def forward(self, losses):
        return self.net(losses.detach()[:, None])[:, 0]


def residuals(w, x, y):
    return (x @ w - y) ** 2


def inner(w, x, y, trust, keep):
    losses = residuals(w, x, y)
    (slope,) = torch.autograd.grad((trust(losses) * losses).mean(), w, create_graph=keep)  #!
    return w - 0.1 * slope


def meta(keep):
    torch.manual_seed(3)
    trust = ExampleWeigher()
    w = torch.tensor([0.2, -0.4, 0.1], requires_grad=True)
    x = torch.sin(torch.arange(30.0)).view(10, 3)
    clean = x @ torch.tensor([1.0, -1.0, 0.5])
    noisy = clean + torch.where(torch.arange(10) % 3 == 0, 2.0, 0.0)
    stepped = inner(w, x, noisy, trust, keep)
    outer = residuals(stepped, x, clean).mean()
    outer.backward()
    return {"trust.net.0.weight": trust.net[0].weight.grad, "w": w.grad}


def broken():
    return meta(keep=False)


def fixed():
    return meta(keep=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
