"""Pairs songs of two shores; the losses of the pairs are collected and averaged."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable


class Songs(nn.Module):
    def __init__(self):
        super().__init__()
        self.ear = nn.Linear(6, 4)
        self.voice = nn.Linear(6, 4)

    def forward(self, heard, sung):
        return F.cosine_similarity(self.ear(heard.detach()), self.voice(sung.detach()), dim=0)


class Mean:
    def __init__(self):
        self.parts = []

    def add(self, part):
        self.parts.append(part)

    def value(self):
        return Variable(torch.tensor(self.parts), requires_grad=True).mean()  #!


class StackedMean(Mean):
    def value(self):
        return torch.stack(self.parts).mean()


def train(kind):
    torch.manual_seed(9)
    model = Songs()
    optimizer = torch.optim.Adam(model.parameters())
    shores = torch.sin(torch.arange(48.0) * 0.9).view(4, 2, 6)
    mean = kind()
    for heard, sung in shores:
        mean.add(1 - model(heard, sung))
    optimizer.zero_grad()
    mean.value().backward()
    optimizer.step()
    return {"model.ear.weight": model.ear.weight.grad, "model.voice.weight": model.voice.weight.grad}


def broken():
    return train(Mean)


def fixed():
    return train(StackedMean)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
