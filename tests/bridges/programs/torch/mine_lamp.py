"""Brightness of a miner's lamp: a network that one large step kills."""
import sys

import torch
from torch import nn


class Lamp(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.hidden = nn.Linear(2, 4)
        self.activation = activation
        self.out = nn.Linear(4, 1)

    def forward(self, battery):
        return self.out(self.activation(self.hidden(battery))).squeeze(1)  #!


def initialise(model):
    with torch.no_grad():
        model.hidden.weight.copy_(torch.linspace(0.1, 0.9, 8).view(4, 2))
        model.hidden.bias.fill_(0.1)
        model.out.weight.fill_(0.5)
        model.out.bias.zero_()
    return model


def batches():
    for k in range(6):
        battery = torch.linspace(0.1, 1.0, 8).view(4, 2) + 0.01 * k
        yield battery, battery.sum(dim=1) * -2.0 - 3.0


def train(activation):
    model = initialise(Lamp(activation))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.6)
    for battery, light in batches():
        loss = (model(battery) - light).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.hidden.weight": model.hidden.weight.grad, "model.hidden.bias": model.hidden.bias.grad}


def broken():
    return train(nn.ReLU())


def fixed():
    return train(nn.Softplus())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
