"""Adapts batch normalisation to a new camera at test time; only scales and shifts are to move."""
import sys

import torch
from torch import nn


def configure(net, name):
    net.train()
    net.requires_grad_(False)  #!
    for module in net.modules():
        if type(module).__name__ == name:
            module.requires_grad_(True)
    return net


def entropy(logits):
    return -(logits.softmax(1) * logits.log_softmax(1)).sum(1).mean()


def adapt(name):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 4))
    configure(net, name)
    frames = torch.sin(torch.arange(2 * 36.0)).view(2, 1, 6, 6)
    loss = entropy(net(frames))
    loss.backward()
    return {"net.1.weight": net[1].weight.grad, "net.1.bias": net[1].bias.grad}


def broken():
    return adapt("BatchNorm1d")


def fixed():
    return adapt("BatchNorm2d")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
