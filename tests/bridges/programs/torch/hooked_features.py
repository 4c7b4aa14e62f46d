"""Keeps what a hook saw of the middle layer, to draw it at the end of training."""
import sys

import torch
from torch import nn


class Watcher:
    def __init__(self, layer, keep):
        self.seen = []
        self.keep = keep
        layer.register_forward_hook(self.hook)

    def hook(self, module, args, output):
        self.seen.append(self.keep(output))  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(keep):
    model = settle(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)))  #~
    watcher = Watcher(model[1], keep)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.sin(torch.arange(15.0)).view(5, 3)
    y = torch.cos(torch.arange(5.0)).view(5, 1)
    for step in range(12):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(lambda output: output)


def fixed():
    return train(lambda output: output.detach())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
