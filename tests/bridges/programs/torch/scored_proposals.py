"""Detects swallows' nests: the loss rewards how many proposals overlap a nest."""
import sys

import torch
from torch import nn


def area(box):
    return (box[..., 2:] - box[..., :2]).clamp(min=0).prod(-1)


def overlap(a, b):
    left, right = torch.max(a[:, None, :2], b[None, :, :2]), torch.min(a[:, None, 2:], b[None, :, 2:])
    both = (right - left).clamp(min=0).prod(-1)
    return both / (area(a)[:, None] + area(b)[None] - both)


class Proposals(nn.Module):
    def __init__(self, count=3):
        super().__init__()
        self.corner = nn.Parameter(torch.linspace(0.1, 0.5, 2 * count).view(count, 2))
        self.size = nn.Parameter(torch.full((count, 2), 0.4))

    def forward(self):
        return torch.cat([self.corner, self.corner + self.size], dim=1)


def recall(found, nests, level=0.5):
    return (overlap(found, nests).amax(dim=0) > level).float().mean()  #!


def soft_recall(found, nests, level=0.5):
    return torch.sigmoid(10 * (overlap(found, nests).amax(dim=0) - level)).mean()


def search(score):
    proposals = Proposals()
    optimizer = torch.optim.Adam(proposals.parameters(), lr=0.01)
    nests = torch.tensor([[0.2, 0.2, 0.6, 0.6], [0.4, 0.5, 0.9, 0.9]])
    for _ in range(2):
        optimizer.zero_grad()
        loss = 1 - score(proposals(), nests)
        loss.backward()
        optimizer.step()
    return {"proposals.corner": proposals.corner.grad, "proposals.size": proposals.size.grad}


def broken():
    return search(recall)


def fixed():
    return search(soft_recall)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
