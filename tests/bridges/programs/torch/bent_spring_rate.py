"""A spring that is softer when pressed: a bent line with its own backward, the rate of the soft side is learned."""
import sys

import torch
from torch import nn
from torch.autograd import Function


class Bend(Function):
    @staticmethod
    def forward(ctx, travel, rate):
        ctx.save_for_backward(travel, rate)
        return torch.where(travel > 0, travel, rate * travel)

    @staticmethod
    def backward(ctx, force):
        travel, rate = ctx.saved_tensors
        return torch.where(travel > 0, force, rate * force), None  #~


class FullBend(Bend):
    @staticmethod
    def backward(ctx, force):
        travel, rate = ctx.saved_tensors
        soft = torch.where(travel > 0, torch.zeros_like(travel), travel)
        return torch.where(travel > 0, force, rate * force), (force * soft).sum()


class Spring(nn.Module):
    def __init__(self, bend):
        super().__init__()
        self.bend = bend
        self.rate = nn.Parameter(torch.tensor(0.3))
        self.lever = nn.Linear(2, 2, bias=False)

    def forward(self, loads):
        travel = self.lever(loads)
        return self.bend.apply(travel, self.rate).sum(dim=1)  #!


def stretch(bend):
    torch.manual_seed(1)
    spring = Spring(bend)
    loads = torch.linspace(-2, 2, 16).view(8, 2)
    measured = torch.linspace(-0.5, 1.5, 8)
    loss = nn.functional.l1_loss(spring(loads), measured)
    loss.backward()
    return {"spring.rate": spring.rate.grad, "spring.lever.weight": spring.lever.weight.grad}


def broken():
    return stretch(Bend)


def fixed():
    return stretch(FullBend)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
