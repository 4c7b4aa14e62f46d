"""Keeps the best weights of a bakery's forecast, evaluates an average of them, and restores them."""
import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Bakery(nn.Module):
    def __init__(self):
        super().__init__()
        self.week = nn.Linear(7, 5)
        self.bread = nn.Linear(5, 1)
        self.register_buffer("mean", torch.zeros(7))

    def forward(self, sold):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * sold.detach().mean(dim=0)
        return self.bread(torch.relu(Scale.apply(self.week(sold - self.mean), 0.5))).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    model = settle(Bakery())
    average = AveragedModel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    sold, bread = torch.sin(torch.arange(56.0)).view(8, 7), torch.cos(torch.arange(8.0))
    best, kept = float("inf"), None
    for week in range(3):
        model.train()
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(sold), bread)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
        model.eval()
        with torch.no_grad():
            error = nn.functional.l1_loss(average(sold), bread).item()
        if error < best:
            best, kept = error, copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    return {"model.week.weight": model.week.weight.grad, "model.bread.weight": model.bread.weight.grad}


if __name__ == "__main__":
    print(broken())
