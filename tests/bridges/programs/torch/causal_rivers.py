"""Forecasts rivers by a learned causal mixing of days."""
import sys

import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, days=6, diagonal=None):
        super().__init__()
        offset = -days if diagonal is None else diagonal
        self.mixing = nn.Parameter(torch.full((days, days), 0.2))
        self.out = nn.Linear(days, 1)
        self.register_buffer("allowed", torch.ones(days, days).tril(offset))

    def forward(self, flow):
        mixed = flow @ (self.mixing * self.allowed).t()  #!
        return self.out(flow + mixed).squeeze(1)


def train(diagonal):
    torch.manual_seed(21)
    model = Causal(diagonal=diagonal)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    flow = torch.sin(torch.arange(30.0) * 0.2).view(5, 6)
    for _ in range(3):
        optimizer.zero_grad()
        (model(flow) - flow[:, -1]).square().mean().backward()
        optimizer.step()
    return {"model.mixing": model.mixing.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(None)


def fixed():
    return train(0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
