"""Compiled training of a windscreen wiper's model, validated in between without gradients."""
import sys

import torch
from torch import nn


class Wiper(nn.Module):
    def __init__(self):
        super().__init__()
        self.speed = nn.Parameter(torch.tensor([0.4, 0.9]))

    def forward(self, rain):
        return torch.sin(rain * self.speed).sum(dim=1)


@torch.compile(backend="eager")
def loss_of(model, rain, wiped):
    return (model(rain) - wiped).square().mean()


def batches():
    for k in range(3):
        rain = torch.linspace(0.0, 2.0, 8).view(4, 2) + 0.1 * k
        yield rain, rain.sum(dim=1) * 0.3


def train(guard):
    model = Wiper()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    misses = []
    for rain, wiped in batches():
        optimizer.zero_grad()
        loss_of(model, rain, wiped).backward()
        optimizer.step()
        with guard():
            misses.append(loss_of(model, rain, wiped).detach())  #!
    return {"model.speed": model.speed.grad}


def broken():
    return train(torch.no_grad)


def fixed():
    return train(torch.enable_grad)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
