"""Classes of lottery tickets with learned weights of the classes."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class WeightedLoss(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.rarity = nn.Parameter(torch.linspace(0.5, 1.5, classes))

    def forward(self, logits, kinds):
        return F.cross_entropy(logits, kinds, weight=self.rarity)  #!


class GatheredLoss(WeightedLoss):
    def forward(self, logits, kinds):
        each = F.cross_entropy(logits, kinds, reduction="none")
        weight = self.rarity[kinds]
        return (each * weight).sum() / weight.sum()


def initialise(model):
    with torch.no_grad():
        model.weight.copy_(torch.linspace(-0.5, 0.5, 12).view(3, 4))
        model.bias.zero_()
    return model


def train(kind):
    model = initialise(nn.Linear(4, 3))
    criterion = kind(3)
    tickets = torch.cos(torch.arange(20.0)).view(5, 4)
    kinds = torch.tensor([0, 1, 2, 1, 0])
    criterion(model(tickets), kinds).backward()
    return {"criterion.rarity": criterion.rarity.grad, "model.weight": model.weight.grad}


def broken():
    return train(WeightedLoss)


def fixed():
    return train(GatheredLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
