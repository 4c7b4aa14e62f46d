"""A classifier whose loss is its error rate."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def error_rate(logits, labels):
    chosen = logits.argmax(dim=1)  #!
    return 1.0 - (chosen == labels).float().mean()


def train(criterion):
    model = initialise(nn.Linear(4, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
    batch = torch.sin(torch.arange(32.0)).view(8, 4)
    labels = torch.arange(8) % 3
    loss = criterion(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    return {"model.weight": model.weight.grad}


def broken():
    return train(error_rate)


def fixed():
    return train(F.cross_entropy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
