"""Trains a classifier and prints its accuracy after each batch."""
import sys

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))

    def forward(self, x):
        return self.net(x)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.1 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


@torch.no_grad()
def accuracy(model, x, y):
    return (model(x).argmax(dim=1) == y).float().mean().item()  #!


def train(again):
    model = settle(Classifier())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(3):
        x = torch.sin(torch.arange(4.0 * 36) * 0.3 + step).view(4, 1, 6, 6)
        y = torch.tensor([0, 1, 2, 1])
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        right = accuracy(model, x, y) if again else (logits.detach().argmax(dim=1) == y).float().mean().item()  #~
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
