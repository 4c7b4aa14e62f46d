"""Estimates the age of trees from ring widths, tree by tree as the series differ in length."""
import sys

import torch
from torch import nn


def series():
    return [torch.sin(torch.arange(n * 1.0) * 0.5) for n in (7, 9, 12, 8)]


class Age(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.3, -0.2, 0.1]))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, rings):
        moments = torch.stack([rings.mean(), rings.std(), rings.abs().max()])
        return moments @ self.weight + self.bias


def as_numbers(model, trees):
    return torch.tensor([float(model(rings)) for rings in trees])  #!


def as_tensors(model, trees):
    return torch.stack([model(rings) for rings in trees])


def train(collect):
    model = Age()
    trees = series()
    age = torch.tensor([len(rings) / 10 for rings in trees])
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(collect(model, trees), age)
        loss.backward()
        optimizer.step()
    return {"model.weight": model.weight.grad}


def broken():
    return train(as_numbers)


def fixed():
    return train(as_tensors)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
