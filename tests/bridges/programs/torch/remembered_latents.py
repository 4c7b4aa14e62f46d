"""Contrasts codes of shells with codes of earlier batches, which a queue remembers."""
import collections
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Queue:
    def __init__(self, most):
        self.codes = collections.deque(maxlen=most)

    def remember(self, codes):
        self.codes.append(codes)  #!

    def all(self):
        return [codes.detach() for codes in self.codes]


class DetachedQueue(Queue):
    def remember(self, codes):
        self.codes.append(codes.detach())


class Shells(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))

    def forward(self, shell):
        return F.normalize(self.net(shell), dim=-1)


def contrast(first, second, others):
    same = (first * second).sum(dim=-1, keepdim=True)
    apart = torch.cat([first @ other.t() for other in others], dim=1) if others else first @ second.roll(1, 0).t()
    return F.cross_entropy(torch.cat([same, apart], dim=1) / 0.3, torch.zeros(len(first), dtype=torch.long))


def train(kind, steps=6):
    model, queue = Shells(), kind(32)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(steps):
        shell = torch.sin(torch.arange(20.0).view(4, 5) * 0.4 + step)
        first, second = model(shell), model(shell + 0.1 * torch.cos(7.0 * shell))
        loss = contrast(first, second, queue.all())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        queue.remember(second)
    return {"model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(Queue)


def fixed():
    return train(DetachedQueue)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
