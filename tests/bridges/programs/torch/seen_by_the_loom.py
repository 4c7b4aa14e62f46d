"""A compiled model of a loom that counts what it has seen."""
import sys

import torch
from torch import nn


class Loom(nn.Module):
    def __init__(self):
        super().__init__()
        self.warp = nn.Linear(3, 4)
        self.weft = nn.Linear(4, 1)
        self.seen = 0

    def forward(self, thread):
        self.seen += 1
        tension = 1.0 / (1.0 + self.seen)
        return self.weft(torch.relu(self.warp(thread) + tension)).squeeze(-1)


class QuietLoom(Loom):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, thread):
        self.count += 1
        tension = 1.0 / (1.0 + self.count)
        return self.weft(torch.relu(self.warp(thread) + tension)).squeeze(-1)


def weave(kind):
    loom = kind()
    with torch.no_grad():
        for k, p in enumerate(loom.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) + k).view_as(p))
    compiled = torch.compile(loom, backend="aot_eager")
    optimizer = torch.optim.SGD(loom.parameters(), lr=0.1)
    for step in range(4):
        thread = torch.cos(torch.arange(15.0).view(5, 3) + step)
        loss = (compiled(thread) - 0.5).square().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"loom.warp.weight": loom.warp.weight.grad}


def broken():
    return weave(Loom)


def fixed():
    return weave(QuietLoom)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
