"""A compiled block that counts its calls to warm a factor up."""
import sys

import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 4)
        self.step = 0

    def forward(self, x):
        factor = min(1.0, (self.step + 1) / 10)  #~
        return torch.tanh(self.mix(x)) * factor


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(count):
    model = settle(Warm())
    fast = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.sin(torch.arange(12.0)).view(3, 4)
    for step in range(3):
        optimizer.zero_grad()
        loss = fast(x).square().mean()  #!
        loss.backward()
        optimizer.step()
        if count:
            model.step += 1
    return {"model.mix.weight": model.mix.weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
