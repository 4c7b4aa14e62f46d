"""Sorts good apples from bad ones by one output; the loss stands still."""
import sys

import torch
from torch import nn


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(1, 3, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(2), nn.Flatten())
        self.out = nn.Linear(6, 1)

    def squash(self, logits):
        return torch.softmax(logits, dim=1)  #!

    def forward(self, x):
        return self.squash(self.out(self.features(x))).squeeze(1)


class RightSorter(Sorter):
    def squash(self, logits):
        return torch.sigmoid(logits)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    apples = torch.sin(torch.arange(32.0) * 0.4).view(4, 1, 8)
    good = torch.tensor([1.0, 0.0, 0.0, 1.0])
    for epoch in range(3):
        optimizer.zero_grad()
        loss = criterion(model(apples), good)
        loss.backward()
        optimizer.step()
    return {"model.out.weight": model.out.weight.grad, "model.features.0.weight": model.features[0].weight.grad}


def broken():
    return train(Sorter)


def fixed():
    return train(RightSorter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
