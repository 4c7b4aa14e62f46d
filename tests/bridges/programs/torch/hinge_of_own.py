"""A soft hinge for doors of a lock, written as a function with its own derivative in the newer form."""
import sys

import torch
from torch import nn


class SoftHinge(torch.autograd.Function):
    @staticmethod
    def forward(swing, stiffness):
        return torch.log1p(torch.exp(swing * stiffness)) / stiffness

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        swing, stiffness = ctx.saved_tensors
        return grad * torch.sigmoid(swing * stiffness), None


class WholeHinge(SoftHinge):
    @staticmethod
    def backward(ctx, grad):
        swing, stiffness = ctx.saved_tensors
        bend = swing * torch.sigmoid(swing * stiffness) / stiffness
        return grad * torch.sigmoid(swing * stiffness), (grad * (bend - torch.log1p(torch.exp(swing * stiffness)) / stiffness**2)).sum()


class Door(nn.Module):
    def __init__(self, hinge):
        super().__init__()
        self.hinge = hinge
        self.arm = nn.Linear(3, 4)
        self.stiffness = nn.Parameter(torch.tensor(1.5))

    def forward(self, wave):
        return self.hinge.apply(self.arm(wave), self.stiffness).mean(dim=-1)  #!


def train(hinge):
    door = Door(hinge)
    with torch.no_grad():
        door.arm.weight.copy_(torch.linspace(-1.0, 1.0, 12).view(4, 3))
        door.arm.bias.fill_(0.1)
    optimizer = torch.optim.Rprop(door.parameters(), lr=0.01)
    for step in range(3):
        wave = torch.cos(torch.arange(15.0).view(5, 3) * 0.7 + step)
        loss = (door(wave) - 0.4).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"door.stiffness": door.stiffness.grad, "door.arm.weight": door.arm.weight.grad}


def broken():
    return train(SoftHinge)


def fixed():
    return train(WholeHinge)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
