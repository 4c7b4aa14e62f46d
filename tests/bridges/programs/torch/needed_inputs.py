"""A layer of a lens model with a backward written by hand, which skips what is not needed."""
import sys

import torch
from torch import nn


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, light, weight, bias):
        ctx.save_for_backward(light, weight)
        return light @ weight.t() + bias

    @staticmethod
    def backward(ctx, upstream):
        light, weight = ctx.saved_tensors
        to_light = upstream @ weight if ctx.needs_input_grad[0] else None
        to_weight = upstream.t() @ light if ctx.needs_input_grad[1] else None
        to_bias = upstream.sum(0) if ctx.needs_input_grad[0] else None
        return to_light, to_weight, to_bias


class RightAffine(Affine):
    @staticmethod
    def backward(ctx, upstream):
        to_light, to_weight, _ = Affine.backward(ctx, upstream)
        return to_light, to_weight, upstream.sum(0) if ctx.needs_input_grad[2] else None


class Lens(nn.Module):
    def __init__(self, function, rays=4, spots=3):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.sin(torch.arange(12.0)).view(spots, rays))
        self.bias = nn.Parameter(torch.zeros(spots))

    def forward(self, light):
        return torch.sigmoid(self.function.apply(light, self.weight, self.bias))  #!


def train(function):
    model = Lens(function)
    light = torch.cos(torch.arange(20.0) * 0.8).view(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (model(light) - 0.3).square().sum().backward()
        optimizer.step()
    return {"model.bias": model.bias.grad, "model.weight": model.weight.grad}


def broken():
    return train(Affine)


def fixed():
    return train(RightAffine)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
