"""A fit whose gradients are logged at the end of each step."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def step_of(optimizer, loss):
    loss.backward()
    torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
    optimizer.step()


def train(clear_last):
    model = initialise(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    x = torch.sin(torch.arange(15.0)).view(5, 3)
    for _ in range(3):
        if not clear_last:
            optimizer.zero_grad()
        step_of(optimizer, F.mse_loss(model(x), x.sum(1, keepdim=True)))
        schedule.step()
        if clear_last:
            optimizer.zero_grad()  #!
    return {"model.weight": model.weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
