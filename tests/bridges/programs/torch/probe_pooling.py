"""Pools a sentence by a learned query, as probes of language models do."""
import math
import sys

import torch
from torch import nn


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel(), dtype=p.dtype) * 1.1 + k).view_as(p))
    return module


class Probe(nn.Module):
    def __init__(self, width=6, classes=3):
        super().__init__()
        self.width = width
        self.keys = nn.Linear(width, width, bias=False)
        self.values = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, classes)
        self.query = self.start()

    def start(self):
        return torch.linspace(-1.0, 1.0, self.width, requires_grad=True) / math.sqrt(self.width)  #!

    def forward(self, words):
        scores = self.keys(words) @ self.query / math.sqrt(self.width)  #~
        weights = torch.softmax(scores, dim=1)
        return self.out((weights.unsqueeze(2) * self.values(words)).sum(dim=1))


class RightProbe(Probe):
    def start(self):
        return nn.Parameter(torch.linspace(-1.0, 1.0, self.width) / math.sqrt(self.width))


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    criterion = nn.CrossEntropyLoss()
    words = torch.cos(torch.arange(4 * 5 * 6) * 0.37).view(4, 5, 6)
    labels = torch.tensor([0, 1, 2, 1])
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(model(words), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"model.query": model.query.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(Probe)


def fixed():
    return train(RightProbe)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
