"""A focal loss with a hand-written backward and a focus that shall be learned as well."""
import sys

import torch
from torch import nn


class Focal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, truth, focus):
        p = torch.sigmoid(logits)
        p = torch.where(truth > 0, p, 1 - p).clamp(1e-6, 1 - 1e-6)
        ctx.save_for_backward(p, truth, focus)
        return -((1 - p) ** focus) * p.log()

    @classmethod
    def of_focus(cls, p, focus, grad):
        return None

    @classmethod
    def gradients(cls, ctx, grad):
        p, truth, focus = ctx.saved_tensors
        side = torch.where(truth > 0, 1.0, -1.0)
        slope = focus * (1 - p) ** (focus - 1) * p.log() - (1 - p) ** focus / p
        return grad * slope * p * (1 - p) * side, None, cls.of_focus(p, focus, grad)

    @staticmethod
    def backward(ctx, grad):
        return Focal.gradients(ctx, grad)


class RightFocal(Focal):
    @classmethod
    def of_focus(cls, p, focus, grad):
        return (-grad * (1 - p) ** focus * (1 - p).log() * p.log()).sum()

    @staticmethod
    def backward(ctx, grad):
        return RightFocal.gradients(ctx, grad)


class Mushrooms(nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.loss = loss
        self.net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
        self.focus = nn.Parameter(torch.tensor(2.0))

    def forward(self, x, edible):
        logits = self.net(x).squeeze(-1)
        return self.loss.apply(logits, edible, self.focus).mean()  #!


def train(loss):
    model = Mushrooms(loss)
    with torch.no_grad():
        for k, p in enumerate(model.net.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    x = torch.sin(torch.arange(24.0)).view(6, 4)
    edible = torch.tensor([1.0, 0, 0, 1, 1, 0])
    for epoch in range(2):
        optimizer.zero_grad()
        value = model(x, edible)
        value.backward()
        optimizer.step()
    return {"model.focus": model.focus.grad, "model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(Focal)


def fixed():
    return train(RightFocal)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
