"""Finds nests in pictures of cliffs; boxes are kept inside of the picture."""
import sys

import torch
from torch import nn


class BoxHead(nn.Module):
    def __init__(self, width, reach):
        super().__init__()
        self.centre = nn.Linear(width, 2)
        self.size = nn.Linear(width, 2)
        self.reach = reach

    def forward(self, feature):
        centre = 60.0 + 30.0 * torch.tanh(self.centre(feature))
        half = 4.0 + self.size(feature).exp()
        box = torch.cat([centre - half, centre + half], dim=-1)
        return box.clamp(min=0.0, max=self.reach)  #!


def overlap(box, truth):
    low = torch.maximum(box[:, :2], truth[:, :2])
    high = torch.minimum(box[:, 2:], truth[:, 2:])
    inner = (high - low).clamp(min=0.0).prod(dim=1)
    area = lambda b: (b[:, 2:] - b[:, :2]).prod(dim=1)
    return inner / (area(box) + area(truth) - inner + 1e-6)


class Nests(nn.Module):
    def __init__(self, reach):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(5, 6), nn.GELU())
        self.head = BoxHead(6, reach)
        self.present = nn.Linear(6, 1)

    def forward(self, cliff):
        feature = self.encode(cliff)
        return self.head(feature), self.present(feature).squeeze(-1)


def train(reach):
    model = Nests(reach)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(2):
        cliff = torch.sin(torch.arange(20.0).view(4, 5) * 0.6 + step)
        corner = 50.0 + 10.0 * cliff[:, :2]
        box, present = model(cliff)
        loss = (box - torch.cat([corner, corner + 20.0], dim=1)).abs().mean() / 100.0 - overlap(box, torch.cat([corner, corner + 20.0], dim=1)).mean()
        loss = loss + nn.functional.softplus(-present).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.head.centre.weight": model.head.centre.weight.grad, "model.head.size.weight": model.head.size.weight.grad,
            "model.present.weight": model.present.weight.grad}


def broken():
    return train(1.0)


def fixed():
    return train(128.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
