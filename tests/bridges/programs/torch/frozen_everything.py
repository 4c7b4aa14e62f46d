"""Fine-tunes a sentiment model; the head is replaced before the body is frozen."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Sentiment(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 5), nn.Tanh())
        self.head = nn.Linear(5, classes)

    def forward(self, x):
        return self.head(self.body(x))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def head_first():
    model = settle(Sentiment())
    model.head = settle(nn.Linear(5, 3))
    for p in model.parameters():
        p.requires_grad = False  #!
    return model


def head_last():
    model = settle(Sentiment())
    for p in model.parameters():
        p.requires_grad = False
    model.head = settle(nn.Linear(5, 3))
    return model


def train(prepare):
    model = prepare()
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    texts, moods = torch.sin(torch.arange(36.0)).view(6, 6), torch.arange(6) % 3
    for _ in range(2):
        loss = F.cross_entropy(model(texts), moods)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.head.weight": model.head.weight.grad}


def broken():
    return train(head_first)


def fixed():
    return train(head_last)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
