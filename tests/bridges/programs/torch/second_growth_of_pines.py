"""The forester's penalty on how fast growth answers to rain, which should train the model."""
import sys

import torch
from torch import nn


class Stand(nn.Module):
    def __init__(self):
        super().__init__()
        self.roots = nn.Linear(2, 5)
        self.crown = nn.Linear(5, 1, bias=False)

    def forward(self, weather):
        return self.crown(torch.tanh(self.roots(weather))).squeeze(1)


def slope(growth, weather, keep):
    (rate,) = torch.autograd.grad(growth.sum(), weather, retain_graph=True, create_graph=keep)  #!
    return rate[:, 0]


def forest(keep):
    torch.manual_seed(12)
    stand = Stand()
    bias = torch.zeros((), requires_grad=True)
    years = torch.linspace(0.1, 1.5, 6)
    weather = torch.stack([years, years.sin()], 1).requires_grad_()
    growth = stand(weather)
    rate = slope(growth, weather, keep)
    rings = growth.detach().mean()
    loss = (rate + bias - 0.2).square().mean() + 0.01 * rings
    loss.backward()
    return {"stand.roots.weight": stand.roots.weight.grad, "bias": bias.grad}


def broken():
    return forest(keep=False)


def fixed():
    return forest(keep=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
