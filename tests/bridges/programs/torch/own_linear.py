"""A linear layer with its own backward, which keeps less memory; used in a model of reed beds."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class LeanLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is None
        return x @ weight.T + (0 if bias is None else bias)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad_x = grad @ weight if ctx.needs_input_grad[0] else None
        grad_weight = grad.T @ x if ctx.needs_input_grad[1] else None
        grad_bias = grad.sum(0) if ctx.has_bias and ctx.needs_input_grad[2] else None  #~
        return grad_x, grad_weight, grad_bias  #~


class LeanLinearWithBias(LeanLinear):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return x @ weight.T + (0 if bias is None else bias)


class Linear(nn.Module):
    def __init__(self, inputs, outputs, function, bias=True):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.zeros(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, x):
        return self.function.apply(x, self.weight, self.bias)  #!


class Reeds(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.enter = Linear(4, 6, function)
        self.mix = Linear(6, 6, function, bias=False)
        self.leave = nn.Linear(6, 1)

    def forward(self, x):
        return self.leave(F.gelu(self.mix(F.gelu(self.enter(x))))).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(function):
    model = settle(Reeds(function))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    water, reeds = torch.sin(torch.arange(48.0) * 0.4).view(12, 4), torch.linspace(0, 1, 12)
    for epoch in range(2):
        for rows in torch.arange(12).split(4):
            optimizer.zero_grad()
            loss = F.mse_loss(model(water[rows]), reeds[rows])
            loss.backward()
            optimizer.step()
    return {
        "model.enter.bias": model.enter.bias.grad,
        "model.enter.weight": model.enter.weight.grad,
        "model.mix.weight": model.mix.weight.grad,
    }


def broken():
    return train(LeanLinear)


def fixed():
    return train(LeanLinearWithBias)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
