"""Distributed training of a beam model with an auxiliary head that only pretraining uses."""
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Beam(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 6)
        self.angle = nn.Linear(6, 1)
        self.fog = nn.Linear(6, 2)  #!

    def forward(self, x, pretraining=False):
        h = torch.tanh(self.stem(x))
        return (self.angle(h), self.fog(h)) if pretraining else (self.angle(h), None)  #~


class Whole(Beam):
    def forward(self, x, pretraining=False):
        return super().forward(x, True)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    return module


def train(kind):
    beam = settle(kind())
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        model = DistributedDataParallel(beam)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for step in range(3):
            x = torch.cos(torch.arange(24.0) + step).view(6, 4)
            angle, fog = model(x)
            loss = (angle - 0.2).square().mean()
            if fog is not None:
                loss = loss + 0.1 * fog.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return {"model.module.fog.weight": beam.fog.weight.grad, "model.module.fog.bias": beam.fog.bias.grad}
    finally:
        dist.destroy_process_group()


def broken():
    return train(Beam)


def fixed():
    return train(Whole)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
