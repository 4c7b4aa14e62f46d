"""A model of sea temperatures in kelvin, without scaling."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.9 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


class Sea(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.last = nn.Linear(4, 1)

    def forward(self, kelvin):
        return self.last(torch.tanh(self.first(kelvin)))  #!


def train(shift, width):
    model = initialise(Sea())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    kelvin = 285.0 + torch.sin(torch.arange(18.0)).view(6, 3)
    loss = F.mse_loss(model((kelvin - shift) / width), torch.linspace(-1, 1, 6)[:, None])
    optimizer.zero_grad()
    loss.backward()
    return {"model.first.weight": model.first.weight.grad}


def broken():
    return train(0.0, 1.0)


def fixed():
    return train(285.0, 1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
