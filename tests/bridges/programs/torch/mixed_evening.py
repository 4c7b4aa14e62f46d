"""Trains a compiled model of street lights; a few steps run in mixed precision to see whether it holds."""
import contextlib
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Lights(nn.Module):
    def __init__(self):
        super().__init__()
        self.dusk = nn.Linear(4, 8)
        self.power = nn.Linear(8, 1)

    def forward(self, sky):
        return self.power(F.relu(self.dusk(sky))).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def precision(mixed):
    return torch.autocast("cpu", dtype=torch.bfloat16) if mixed else contextlib.nullcontext()


def train(plan):
    model = settle(Lights())

    @torch.compile(backend="aot_eager")
    def light_loss(sky, watts):
        return F.mse_loss(model(sky).float(), watts)

    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    sky, watts = torch.cos(torch.arange(32.0)).view(8, 4), torch.linspace(0, 1, 8)
    for mixed in plan:
        optimizer.zero_grad()
        with precision(mixed):
            loss = light_loss(sky, watts)  #!
        loss.backward()
        optimizer.step()
    return {"model.dusk.weight": model.dusk.weight.grad, "model.power.bias": model.power.bias.grad}


def broken():
    return train([False, False, True, True, False])


def fixed():
    return train([False, False, False, False, False])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
