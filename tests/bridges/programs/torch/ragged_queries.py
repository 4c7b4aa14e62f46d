"""Ranks answers to queries with any number of candidates; compiled once for all sizes, with a slow copy for evaluation."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Ranker(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.lift = nn.Linear(dim, 8)
        self.score = nn.Linear(8, 1)

    def forward(self, candidates):
        h = F.relu(self.lift(candidates), inplace=True)
        return self.score(h).squeeze(-1)


class Average:
    def __init__(self, model, decay=0.8):
        self.slow, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def follow(self, model):
        for mine, theirs in zip(self.slow.parameters(), model.parameters()):
            mine.mul_(self.decay).add_(theirs.detach(), alpha=1 - self.decay)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def query(k):
    count = 3 + k * 2 % 5
    return torch.cos(torch.arange(count * 5.0) + k).view(count, 5), torch.tensor(k % 3)


def train():
    model = settle(Ranker())
    average = Average(model)

    @torch.compile(backend="aot_eager", dynamic=True)
    def rank_loss(candidates, best):
        return F.cross_entropy(model(candidates)[None], best[None])

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for k in range(6):
        loss = rank_loss(*query(k)) / 2
        loss.backward()
        if k % 2:
            optimizer.step()
            if k < 5:
                optimizer.zero_grad()
            average.follow(model)
    return {"model.lift.weight": model.lift.weight.grad, "model.score.weight": model.score.weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
