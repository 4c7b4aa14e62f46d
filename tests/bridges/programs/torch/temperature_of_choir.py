"""Blends the voices of a choir by a softmax that cools down."""
import sys

import torch
from torch import nn

HEAT = 2.0


def choir_loss(scores, wanted):
    return (torch.softmax(scores / HEAT, dim=-1) - wanted).square().sum()


def tensor_loss(scores, wanted, heat):
    return (torch.softmax(scores / heat, dim=-1) - wanted).square().sum()


def voices():
    return torch.sin(torch.arange(12.0)).view(3, 4)


def broken():
    global HEAT
    torch._dynamo.reset()
    torch.manual_seed(26)
    model = nn.Linear(4, 3)
    compiled = torch.compile(choir_loss, backend="eager")
    for heat in (2.0, 1.5, 1.5, 1.0):
        HEAT = heat
        loss = compiled(model(voices()), torch.eye(3))  #!
        loss.backward()
    return {"model.weight": model.weight.grad}


def fixed():
    torch._dynamo.reset()
    torch.manual_seed(26)
    model = nn.Linear(4, 3)
    compiled = torch.compile(tensor_loss, backend="eager")
    for heat in (2.0, 1.5, 1.5, 1.0):
        loss = compiled(model(voices()), torch.eye(3), torch.tensor(heat))
        loss.backward()
    return {"model.weight": model.weight.grad}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
