"""Reads speech of many villages; from some epoch on an adversary keeps the village out of the code."""
import dataclasses
import sys

import torch
from torch import nn
import torch.nn.functional as F


@dataclasses.dataclass
class Plan:
    epochs: int = 4
    adversary_from: int = 5
    share: float = 0.3


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, code):
        return code.view_as(code)

    @staticmethod
    def backward(ctx, grad):
        return -grad


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        self.code = nn.Linear(5, 4)
        self.word = nn.Linear(4, 3)
        self.village = nn.Linear(4, 2)


def epoch_loss(model, plan, epoch, sound, word, village):
    code = torch.tanh(model.code(sound))
    loss = F.cross_entropy(model.word(code), word)
    if epoch >= plan.adversary_from:  #!
        loss = loss + plan.share * F.cross_entropy(model.village(Reverse.apply(code)), village)
    return loss


def train(plan):
    model = Speech()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    sound = torch.sin(torch.arange(30.0).view(6, 5) * 0.7)
    word, village = torch.arange(6) % 3, torch.arange(6) % 2
    for epoch in range(plan.epochs):
        optimizer.zero_grad()
        loss = epoch_loss(model, plan, epoch, sound, word, village)
        loss.backward()
        optimizer.step()
    return {"model.village.weight": model.village.weight.grad, "model.word.weight": model.word.weight.grad}


def broken():
    return train(Plan())


def fixed():
    return train(Plan(adversary_from=2))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
