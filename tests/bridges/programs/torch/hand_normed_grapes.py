"""A batch norm written by hand, for the sugar of grapes; statistics are kept for later."""
import sys

import torch
from torch import nn


class RunningNorm(nn.Module):
    def __init__(self, width, momentum=0.1):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("var", torch.ones(width))

    def blend(self, old, new):
        return torch.lerp(old, new, self.momentum)  #!

    def forward(self, x):
        if self.training:
            self.mean = self.blend(self.mean, x.mean(0))  #~
            self.var = self.blend(self.var, x.var(0))
        return (x - self.mean) / (self.var + 1e-5).sqrt() * self.gain + self.shift


class DetachedNorm(RunningNorm):
    def blend(self, old, new):
        return torch.lerp(old, new.detach(), self.momentum)


def sugar(norm):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), norm(5), nn.GELU(), nn.Linear(5, 1))
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    grapes = torch.cos(torch.arange(36.0) * 0.9).view(3, 4, 3)
    for vine in grapes:
        loss = (net(vine).squeeze(-1) - vine.sum(-1)).pow(2).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return {"net.0.weight": net[0].weight.grad}


def broken():
    return sugar(RunningNorm)


def fixed():
    return sugar(DetachedNorm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
