"""Ranks hiking trails for a walker so that the discounted gain of the list is high."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Trails(nn.Module):
    def __init__(self, inputs=4):
        super().__init__()
        self.hidden = nn.Linear(inputs, 6)
        self.score = nn.Linear(6, 1)
        self.patience = nn.Parameter(torch.tensor(0.5))

    def forward(self, trails):
        return self.score(torch.tanh(self.hidden(trails))).squeeze(-1)


def discounts(model, count):
    return 1 / (1 + F.softplus(model.patience) * torch.arange(count))


def sorted_gain(model, scores, pleasure):
    order = scores.argsort(dim=1, descending=True)  #!
    listed = pleasure.gather(1, order)
    return (listed * discounts(model, scores.shape[1])).sum(dim=1)


def soft_gain(model, scores, pleasure):
    beaten_by = torch.sigmoid((scores[:, None, :] - scores[:, :, None]) / 0.1).sum(dim=2) - 0.5
    return (pleasure / (1 + F.softplus(model.patience) * beaten_by)).sum(dim=1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim():
                p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return module


def train(gain):
    model = settle(Trails())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    trails = torch.cos(torch.arange(120.0) * 0.6).view(5, 6, 4)
    pleasure = torch.sigmoid(trails.sum(dim=2) * torch.sin(torch.arange(6.0) * 2))
    best = pleasure.sort(dim=1, descending=True).values
    for epoch in range(2):
        got = gain(model, model(trails), pleasure)
        most = (best * discounts(model, 6).detach()).sum(dim=1)
        loss = (1 - got / most).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.score.weight": model.score.weight.grad,
        "model.hidden.weight": model.hidden.weight.grad,
        "model.patience": model.patience.grad,
    }


def broken():
    return train(sorted_gain)


def fixed():
    return train(soft_gain)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
