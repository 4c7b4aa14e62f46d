"""A model of returning customers, trained on cached logits."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Loyalty(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.cache = {}

    def forward(self, key, visits):
        self.cache[key] = self.score(visits).squeeze(1)
        return self.cache[key]

    def logits(self, key):
        return self.cache[key].detach()  #!


class LiveLoyalty(Loyalty):
    def logits(self, key):
        return self.cache[key]


def visits():
    return torch.cos(torch.arange(20.0) * 0.8).view(5, 4)


def initialise(model):
    nn.init.constant_(model.score.weight, 0.3)
    nn.init.zeros_(model.score.bias)
    return model


def train(kind):
    model = initialise(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    returned = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0])
    for day in range(2):
        model(day, visits())
        loss = F.binary_cross_entropy_with_logits(model.logits(day), returned)
        optimizer.zero_grad()
        loss.backward()  #~
        optimizer.step()
    return {"model.score.weight": model.score.weight.grad, "model.score.bias": model.score.bias.grad}


def broken():
    return train(Loyalty)


def fixed():
    return train(LiveLoyalty)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
