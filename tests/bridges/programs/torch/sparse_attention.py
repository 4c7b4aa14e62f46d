"""Attends to old weather reports; weak weights are dropped, and a broad attention is penalized."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Reports(nn.Module):
    def __init__(self, prune, dim=5):
        super().__init__()
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value = nn.Linear(dim, 1)
        self.prune = prune

    def attend(self, today, reports):
        scores = self.query(today)[:, None] @ self.key(reports).transpose(1, 2) / reports.shape[-1] ** 0.5
        return scores.squeeze(1).softmax(dim=1)

    def forward(self, today, reports):
        weights = self.attend(today, reports)
        breadth = weights.square().sum(dim=1).reciprocal()
        kept = self.prune(weights)
        kept = kept / kept.sum(dim=1, keepdim=True)
        return (kept[..., None] * self.value(reports)).sum(dim=1).squeeze(1), breadth.mean()


def drop_weak(weights, least=0.15):
    weights[weights < least] = 0.0  #!
    return weights


def without_weak(weights, least=0.15):
    return torch.where(weights < least, 0.0, weights)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(prune):
    model = settle(Reports(prune))
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    today = torch.cos(torch.arange(20.0) * 0.7).view(4, 5)
    reports = torch.sin(torch.arange(120.0) * 0.3).view(4, 6, 5)
    rain = torch.linspace(0, 1, 4)
    for epoch in range(2):
        guess, breadth = model(today, reports)
        loss = F.mse_loss(guess, rain) + 0.01 * breadth
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.query.weight": model.query.weight.grad, "model.key.weight": model.key.weight.grad}


def broken():
    return train(drop_weak)


def fixed():
    return train(without_weak)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
