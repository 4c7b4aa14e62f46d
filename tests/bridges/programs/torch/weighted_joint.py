"""Weighs the angles of a robot's joint with an op that has its own backward."""
import sys

import torch
from torch import nn


class Weigh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, angle, weight):
        ctx.save_for_backward(angle, weight)
        return (angle * weight).sum(dim=-1)

    @staticmethod
    def backward(ctx, upstream):
        angle, weight = ctx.saved_tensors
        to_angle = to_weight = None
        if ctx.needs_input_grad[0]:
            to_angle = upstream[:, None] * weight
            to_weight = (upstream[:, None] * angle).sum(dim=0)
        return to_angle, to_weight


class WeighBoth(Weigh):
    @staticmethod
    def backward(ctx, upstream):
        angle, weight = ctx.saved_tensors
        return upstream[:, None] * weight, (upstream[:, None] * angle).sum(dim=0)


class Joint(nn.Module):
    def __init__(self, weigh):
        super().__init__()
        self.weigh = weigh
        self.weight = nn.Parameter(torch.tensor([0.2, 0.5, 0.9]))
        self.out = nn.Linear(1, 1)

    def forward(self, angle):
        return self.out(self.weigh.apply(angle, self.weight)[:, None])  #!


def train(weigh):
    joint = Joint(weigh)
    nn.init.constant_(joint.out.weight, 0.7)
    optimizer = torch.optim.Rprop(joint.parameters())
    angles = torch.sin(torch.arange(15.0)).view(5, 3)
    target = angles @ torch.tensor([[1.0], [0.0], [-1.0]])
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(joint(angles), target)
        loss.backward()
        optimizer.step()
    return {"joint.weight": joint.weight.grad, "joint.out.weight": joint.out.weight.grad}


def broken():
    return train(Weigh)


def fixed():
    return train(WeighBoth)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
