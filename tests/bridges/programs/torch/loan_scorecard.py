"""A scorecard for loans: each feature falls into a bin, whose points are summed; the bins' edges are to be learned as well."""
import sys

import torch
from torch import nn


class Scorecard(nn.Module):
    def __init__(self, features=3, bins=4):
        super().__init__()
        self.edges = nn.Parameter(torch.linspace(-0.8, 0.8, bins - 1).repeat(features, 1))
        self.points = nn.Parameter(0.1 * torch.sin(torch.arange(features * bins * 1.0)).reshape(features, bins))
        self.base = nn.Parameter(torch.zeros(1))

    def feature_points(self, column, index):
        raise NotImplementedError

    def forward(self, applicants):
        columns = applicants.unbind(1)
        return self.base + sum(self.feature_points(column.contiguous(), k) for k, column in enumerate(columns))


class HardScorecard(Scorecard):
    def feature_points(self, column, index):
        chosen = torch.bucketize(column, self.edges[index])  #!
        return self.points[index][chosen]


class SoftScorecard(Scorecard):
    def feature_points(self, column, index):
        above = torch.sigmoid((column.unsqueeze(1) - self.edges[index]) * 8)
        rises = self.points[index][1:] - self.points[index][:-1]
        return self.points[index][0] + (above * rises).sum(1)


def applications(count=20):
    values = torch.sin(torch.arange(count * 3).reshape(count, 3) * 1.3)
    return values, (values.sum(1) > 0.2).float()


def fit(kind, epochs=3):
    card = kind()
    optimizer = torch.optim.Adam(card.parameters(), lr=0.05)
    applicants, repaid = applications()
    weights = 1 + repaid.detach() * 0.5
    for _ in range(epochs):
        loss = nn.functional.binary_cross_entropy_with_logits(card(applicants), repaid, weight=weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"card.edges": card.edges.grad, "card.points": card.points.grad}


def broken():
    return fit(HardScorecard)


def fixed():
    return fit(SoftScorecard)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
