"""Seats an orchestra: a transformer block scores each place, and places are weighted."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.score = nn.Linear(width, 1)

    def forward(self, seats):
        mixed, _ = self.attention(seats, seats, seats, need_weights=False)
        return self.score(self.norm(seats + mixed)).squeeze(-1)


class Seating:
    def __init__(self, importance):
        self.importance = importance

    def loss(self, scores, wanted):
        each = F.mse_loss(scores, wanted, reduction="none")
        return self.total(each * self.importance)

    def total(self, each):
        return each.mean(dim=1)  #!


class WholeSeating(Seating):
    def total(self, each):
        return each.mean()


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 + 0.3 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return model


def train(kind):
    block = initialise(Block(4))
    seating = kind(torch.linspace(0.5, 1.5, 3))
    seats = torch.cos(torch.arange(24.0)).view(2, 3, 4)
    wanted = torch.linspace(0.0, 1.0, 6).view(2, 3)
    optimizer = torch.optim.NAdam(block.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        loss = seating.loss(block(seats), wanted)
        loss.backward()  #~
        optimizer.step()
    return {"block.score.weight": block.score.weight.grad}


def broken():
    return train(Seating)


def fixed():
    return train(WholeSeating)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
