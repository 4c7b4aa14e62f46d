"""Threads of a loom break above a tension; a surrogate gradient makes the break trainable."""
import sys

import torch
from torch import nn


class Snap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tension, limit, sharpness):
        ctx.save_for_backward(tension, limit)
        ctx.sharpness = sharpness
        return (tension > limit).float()

    @staticmethod
    def backward(ctx, upstream):
        tension, limit = ctx.saved_tensors
        slope = ctx.sharpness * torch.exp(-ctx.sharpness * (tension - limit).abs())
        return upstream * slope, None, None  #~


class SnapBoth(Snap):
    @staticmethod
    def backward(ctx, upstream):
        tension, limit = ctx.saved_tensors
        slope = ctx.sharpness * torch.exp(-ctx.sharpness * (tension - limit).abs())
        return upstream * slope, -(upstream * slope).sum(), None


class Loom(nn.Module):
    def __init__(self, snap):
        super().__init__()
        self.pull = nn.Linear(2, 6)
        self.limit = nn.Parameter(torch.tensor(0.4))
        self.snap = snap

    def forward(self, pattern):
        return self.snap.apply(self.pull(pattern), self.limit, 3.0).mean(dim=1)  #!


def weave(snap):
    loom = Loom(snap)
    optimizer = torch.optim.Adam(loom.parameters(), lr=0.01)
    pattern = torch.sin(torch.arange(10.0)).view(5, 2)
    loss = (loom(pattern) - 0.1).square().sum()
    loss.backward()
    optimizer.step()
    return {"loom.limit": loom.limit.grad, "loom.pull.weight": loom.pull.weight.grad}


def broken():
    return weave(Snap)


def fixed():
    return weave(SnapBoth)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
