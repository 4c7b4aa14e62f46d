"""Fine-tunes a head on top of a frozen reader of seals; the pictures never change."""
import sys

import torch
from torch import nn


def reader():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
    return net.eval().requires_grad_(False)


def fit(net, pictures, kinds, epochs, once):
    head = nn.Linear(16, 2)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    features = net(pictures) if once else None
    for epoch in range(epochs):
        found = features if once else net(pictures)  #!
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(head(found), kinds)
        loss.backward()
        optimizer.step()
    return {"head.weight": head.weight.grad}


def train(once):
    pictures = torch.sin(torch.arange(6 * 64.0)).view(6, 1, 8, 8)
    return fit(reader(), pictures, torch.arange(6) % 2, 4, once)


def broken():
    return train(once=False)


def fixed():
    return train(once=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
