"""A loom's controller whose optimizer runs inside of backward, to save memory."""
import sys

import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.thread = nn.Linear(4, 8)
        self.weave = nn.Linear(8, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        x = torch.nn.functional.silu(self.thread(x))
        return self.out(x + torch.nn.functional.silu(self.weave(x)))


def initial(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return model


class FusedOptimizer:
    def __init__(self, model, lr, free):
        self.optimizers = {p: torch.optim.SGD([p], lr=lr, momentum=0.9) for p in model.parameters()}
        self.free = free
        for p in model.parameters():
            p.register_post_accumulate_grad_hook(self.hook)

    def hook(self, parameter):
        self.optimizers[parameter].step()
        if self.free:
            parameter.grad = None  #!


def norms(model):
    return {name: p.grad for name, p in model.named_parameters()}


def train(free):
    model = initial(Controller())
    FusedOptimizer(model, 1e-2, free)
    for step in range(3):
        for p in model.parameters():
            p.grad = None
        x = torch.cos(torch.arange(24.0) + step).view(6, 4)
        nn.functional.huber_loss(model(x), x[:, :2]).backward()
    return {"model.weave.weight": norms(model)["weave.weight"]}


def broken():
    return train(True)


def fixed():
    return train(False)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
