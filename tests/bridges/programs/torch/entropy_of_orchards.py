"""Which orchard an apple came from; the entropy of the guess is part of the loss, with orchards ruled out by season."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Apples(nn.Module):
    def __init__(self, orchards=4):
        super().__init__()
        self.taste = nn.Linear(3, 8)
        self.orchard = nn.Linear(8, orchards)

    def forward(self, apple, in_season):
        scores = self.orchard(F.elu(self.taste(apple)))
        return torch.softmax(scores.masked_fill(~in_season, float("-inf")), dim=1)


def entropy(p):
    terms = torch.where(p > 0, p * p.log(), torch.zeros_like(p))  #!
    return -terms.sum(dim=1)


def safe_entropy(p):
    inside = torch.where(p > 0, p, torch.ones_like(p))
    return -(p * inside.log()).sum(dim=1)


def train(spread):
    torch.manual_seed(43)
    model = Apples()
    apple = torch.sin(torch.arange(18.0)).view(6, 3)
    in_season = torch.ones(6, 4, dtype=torch.bool)
    in_season[2:4, 3] = False
    origin = torch.tensor([0, 1, 2, 0, 3, 1])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        p = model(apple, in_season)
        loss = -p.gather(1, origin[:, None]).clamp(min=1e-6).log().mean() - 0.1 * spread(p).mean()
        loss.backward()
        optimizer.step()
    return {"model.taste.weight": model.taste.weight.grad}


def broken():
    return train(entropy)


def fixed():
    return train(safe_entropy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
