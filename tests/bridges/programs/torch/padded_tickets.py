"""Reads support tickets of different length, padded, with a mask over the padding."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class TicketReader(nn.Module):
    def __init__(self, words=8, width=4):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.gate = nn.Linear(width, width)
        self.urgent = nn.Linear(width, 1)

    def mask(self, tokens):
        return (tokens == 0).float()

    def forward(self, tokens):
        states = torch.tanh(self.gate(self.embed(tokens)))
        kept = states * self.mask(tokens).unsqueeze(2)  #!
        return self.urgent(kept.mean(dim=1)).squeeze(1)


class RightReader(TicketReader):
    def mask(self, tokens):
        return (tokens != 0).float()


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return model


def train(kind):
    model = initialise(kind())
    tokens = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 1], [2, 3, 2, 6]])
    urgent = torch.tensor([1.0, 0.0, 1.0])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(model(tokens), urgent).backward()
        optimizer.step()
    return {"model.gate.weight": model.gate.weight.grad, "model.urgent.bias": model.urgent.bias.grad}


def broken():
    return train(TicketReader)


def fixed():
    return train(RightReader)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
