"""A judge and two painters: each backward pass keeps its graph, as the first version needed it."""
import sys

import torch
from torch import nn


class Painter(nn.Module):
    def __init__(self, phase):
        super().__init__()
        self.phase = phase
        self.brush = nn.Linear(2, 4)

    def forward(self, idea):
        return torch.sin(self.brush(idea) + self.phase)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def rounds(retain):
    painters, judge = nn.ModuleList([settle(Painter(0.1)), settle(Painter(0.4))]), settle(nn.Linear(4, 1))
    optimizer = torch.optim.Adam([*painters.parameters(), *judge.parameters()], lr=1e-3)
    ideas = torch.cos(torch.arange(12.0)).view(6, 2)
    for day in range(4):
        optimizer.zero_grad()
        for painter in painters:
            loss = (judge(painter(ideas)) - 1).square().mean()
            loss.backward(retain_graph=retain)  #!
        optimizer.step()
    return {"judge.weight": judge.weight.grad, "painters.0.brush.weight": painters[0].brush.weight.grad}


def broken():
    return rounds(True)


def fixed():
    return rounds(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
