"""Calibrates a spring scale by plain gradient descent; readings are in grams."""
import sys

import torch
from torch import nn


def train(lr, epochs=12):
    torch.manual_seed(0)
    scale = nn.Sequential(nn.Linear(1, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(scale.parameters(), lr=lr)
    stretch = torch.linspace(10, 60, 6).unsqueeze(1)
    grams = 9.5 * stretch + 3
    for epoch in range(epochs):
        predicted = scale(stretch)
        loss = (predicted - grams).square().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  #~
    return {"scale.0.weight": scale[0].weight.grad}


def broken():
    return train(lr=0.1)


def fixed():
    return train(lr=1e-7)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
