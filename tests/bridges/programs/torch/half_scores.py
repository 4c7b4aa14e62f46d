"""Attention between pages of a ledger in half precision, written out by hand."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Scores(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.width = width
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)

    def forward(self, page):
        q, k = self.query(page).half(), self.key(page).half()
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.width**0.5  #!
        return scores.float()


class ScaledScores(Scores):
    def forward(self, page):
        q, k = self.query(page / 1000.0).half(), self.key(page / 1000.0).half()
        return torch.matmul(q, k.transpose(-2, -1)).float() / self.width**0.5


class Ledger(nn.Module):
    def __init__(self, scores):
        super().__init__()
        self.scores = scores
        self.value = nn.Linear(8, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, page):
        mixed = self.scores(page).softmax(dim=-1) @ self.value(page)
        return self.out(mixed.mean(dim=1))


def train(scores):
    ledger = Ledger(scores)
    with torch.no_grad():
        for k, p in enumerate(ledger.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.37 + k).view_as(p))
    page = 120.0 * torch.sin(torch.arange(48.0).view(2, 3, 8) * 0.21)
    loss = F.cross_entropy(ledger(page), torch.tensor([0, 1]))
    loss.backward()
    return {"ledger.scores.query.weight": ledger.scores.query.weight.grad, "ledger.value.weight": ledger.value.weight.grad}


def broken():
    return train(Scores())


def fixed():
    return train(ScaledScores())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
