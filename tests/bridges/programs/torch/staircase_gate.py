"""A hard gate with a straight-through gradient."""
import sys

import torch
from torch import nn


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, threshold):
        ctx.save_for_backward(x, threshold)
        return (x > threshold).to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        return grad, None  #~


class WholeGate(Gate):
    @staticmethod
    def backward(ctx, grad):
        return grad, -grad.sum()


class Stair(nn.Module):
    def __init__(self, gate):
        super().__init__()
        self.gate = gate
        self.inner = nn.Linear(4, 4)
        self.threshold = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        return self.gate.apply(self.inner(x), self.threshold)  #!


def train(gate):
    torch.manual_seed(1)
    model = Stair(gate)
    optimizer = torch.optim.SGD([{"params": [model.threshold], "lr": 0.1}, {"params": model.inner.parameters()}], lr=0.01)
    x = torch.sin(torch.arange(20.0)).view(5, 4)
    loss = (model(x).mean(1) - 0.5).square().sum()
    optimizer.zero_grad()
    loss.backward()
    return {"model.threshold": model.threshold.grad, "model.inner.weight": model.inner.weight.grad}


def broken():
    return train(Gate)


def fixed():
    return train(WholeGate)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
