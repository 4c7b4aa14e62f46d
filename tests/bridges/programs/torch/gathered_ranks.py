"""Learns to rank by ListMLE with a temperature; scores are put into order by the true grades, in NumPy's way."""
import sys

import torch
from torch import nn


def list_mle(scores, grades):
    order = grades.argsort(dim=1, descending=True)
    ranked = scores.gather(1, order)
    return (ranked.flip(1).logcumsumexp(1).flip(1) - ranked).sum(1).mean()  #!


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.temperature = nn.Parameter(torch.tensor(2.0))

    def forward(self, items):
        return self.score(items).squeeze(-1)

    def tempered(self, scores):
        return scores / self.temperature


def train(use):
    torch.manual_seed(2)
    ranker = Ranker()
    opt = torch.optim.Adam(ranker.parameters(), lr=1e-2)
    items = torch.sin(torch.arange(40.0)).view(2, 5, 4)
    grades = items.sum(-1)
    for epoch in range(2):
        scores = ranker(items)
        tempered = ranker.tempered(scores)
        opt.zero_grad()
        list_mle(tempered if use else scores, grades).backward()  #~
        opt.step()
    return {"ranker.temperature": ranker.temperature.grad, "ranker.score.weight": ranker.score.weight.grad, "mean": tempered.mean()}


def broken():
    found = train(False)
    found.pop("mean")
    return found


def fixed():
    found = train(True)
    found.pop("mean")
    return found


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
