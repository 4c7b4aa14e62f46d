"""A reef model called with its parameters as a dictionary."""
import sys

import torch
from torch import nn
from torch.func import functional_call


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


class Reef(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 5)
        self.head = nn.Linear(5, 1)

    def forward(self, water):
        return self.head(torch.tanh(self.body(water)))


def parameters_of(model):
    return {name: value.detach() if name.startswith("body") else value for name, value in model.named_parameters()}  #!


def train(choose):
    model = initialise(Reef())
    chosen = choose(model)
    water = torch.cos(torch.arange(12.0)).view(4, 3)
    loss = (functional_call(model, chosen, (water,)) - 1).square().mean()
    loss.backward()
    return {"model.body.weight": model.body.weight.grad}


def broken():
    return train(parameters_of)


def fixed():
    return train(lambda model: dict(model.named_parameters()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
