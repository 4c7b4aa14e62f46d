"""Echo delays of a cave, quantized with a learned step by a straight-through rounding."""
import sys

import torch
from torch import nn


class RoundedEcho(torch.autograd.Function):
    @staticmethod
    def forward(ctx, delay, step):
        ctx.save_for_backward(delay, step)
        return torch.round(delay / step) * step

    @staticmethod
    def backward(ctx, grad):
        return grad, None  #~


class LearnedStepEcho(RoundedEcho):
    @staticmethod
    def backward(ctx, grad):
        delay, step = ctx.saved_tensors
        ratio = delay / step
        return grad, (grad * (ratio.round() - ratio)).sum()


class Cave(nn.Module):
    def __init__(self, quantize):
        super().__init__()
        self.ears = nn.Linear(5, 6)
        self.step = nn.Parameter(torch.tensor(0.25))
        self.wall = nn.Linear(6, 1)
        self.quantize = quantize

    def forward(self, calls):
        delays = torch.tanh(self.ears(calls))
        louder = delays / delays.norm(dim=1, keepdim=True).detach()
        return self.wall(self.quantize(louder, self.step)).squeeze(1)  #!


def listen(quantize):
    torch.manual_seed(3)
    cave = Cave(quantize)
    groups = [{"params": [cave.step], "lr": 0.1}, {"params": list(cave.ears.parameters()) + list(cave.wall.parameters())}]
    optimizer = torch.optim.SGD(groups, lr=0.01, momentum=0.9)
    calls = torch.sin(torch.arange(40.0)).view(8, 5)
    distance = torch.linspace(0.5, 3, 8)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(cave(calls), distance)
        loss.backward()
        optimizer.step()
    return {"cave.step": cave.step.grad, "cave.ears.weight": cave.ears.weight.grad}


def broken():
    return listen(RoundedEcho.apply)


def fixed():
    return listen(LearnedStepEcho.apply)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
