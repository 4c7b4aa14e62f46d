"""Compares drawings of knots in pairs; the comparison is compiled."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Knots(nn.Module):
    def __init__(self, points=6, dim=4):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(points, 8), nn.GELU(), nn.Linear(8, dim))

    def forward(self, drawing):
        return F.normalize(self.embed(drawing), dim=1)


def similarity(left, right, sharpness):
    scores = left @ right.T
    return F.log_softmax(sharpness * scores, dim=1).diagonal().neg().mean()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def views(drawings, epoch):
    return drawings + 0.05 * torch.cos(drawings * (7 + epoch))


def train(spread_of):
    model = settle(Knots())
    compare = torch.compile(similarity, backend="aot_eager")
    sharpness = nn.Parameter(torch.tensor(3.0))
    optimizer = torch.optim.Adam([*model.parameters(), sharpness], lr=1e-3)
    drawings = torch.sin(torch.arange(48.0) * 0.5).view(8, 6)
    for epoch in range(2):
        first, second = model(drawings), model(views(drawings, epoch))
        loss = compare(first, second, sharpness) + 0.1 * spread_of(compare, first, sharpness)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.embed.0.weight": model.embed[0].weight.grad, "sharpness": sharpness.grad}


def against_itself(compare, vectors, sharpness):
    return compare(vectors, vectors, sharpness)  #!


def against_copy(compare, vectors, sharpness):
    return compare(vectors, vectors.clone(), sharpness)


def broken():
    return train(against_itself)


def fixed():
    return train(against_copy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
