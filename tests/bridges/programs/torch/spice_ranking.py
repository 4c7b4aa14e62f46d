"""Ranks spices for a dish; one score a spice, normalised before the loss."""
import sys

import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.dim = dim
        with torch.no_grad():
            self.score.weight.copy_(torch.tensor([[0.3, -0.2, 0.5, 0.1]]))
            self.score.bias.zero_()

    def forward(self, spices):
        scores = self.score(spices)
        return torch.softmax(scores, dim=self.dim)  #!


def listwise(shares, wanted):
    return -(wanted * (shares.squeeze(-1) + 1e-6).log()).sum()


def train(dim):
    ranker = Ranker(dim)
    spices = torch.sin(torch.arange(24.0)).view(6, 4)
    wanted = torch.tensor([0.5, 0.3, 0.2, 0.0, 0.0, 0.0])
    optimizer = torch.optim.SGD(ranker.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        listwise(ranker(spices), wanted).backward()
        optimizer.step()
    return {"ranker.score.weight": ranker.score.weight.grad}


def broken():
    return train(-1)


def fixed():
    return train(0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
