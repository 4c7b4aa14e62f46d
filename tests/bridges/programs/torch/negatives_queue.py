"""Contrasts views of mineral samples with a queue of earlier ones."""
import collections
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, inputs=6, dim=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 10), nn.ReLU(), nn.Linear(10, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class Contrast:
    def __init__(self, encoder, keep, temperature=0.3):
        self.encoder, self.temperature = encoder, temperature
        self.queue = collections.deque(maxlen=64)
        self.keep = keep

    def loss(self, first, second):
        q, k = self.encoder(first), self.encoder(second)
        positive = (q * k).sum(dim=1, keepdim=True)
        negative = q @ torch.cat([entry.detach() for entry in self.queue]).T if self.queue else q @ k.T.flip(1)
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        self.keep(self.queue, k)
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def keep_all(queue, k):
    queue.append(k)  #!


def keep_values(queue, k):
    queue.append(k.detach())


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(keep):
    model = settle(Encoder())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-4)
    contrast = Contrast(model, keep)
    minerals = torch.cos(torch.arange(240.0) * 0.3).view(40, 6)
    for batch in minerals.split(5):
        loss = contrast.loss(batch, batch + 0.05 * torch.sin(batch * 9))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad, "model.net.2.bias": model.net[2].bias.grad}


def broken():
    return train(keep_all)


def fixed():
    return train(keep_values)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
