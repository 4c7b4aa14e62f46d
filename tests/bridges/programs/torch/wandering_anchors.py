"""Reads a map of the sea floor at anchors that each query moves by learned offsets."""
import sys

import torch
from torch import nn


class OffsetSampler(nn.Module):
    def __init__(self, width=4, anchors=3):
        super().__init__()
        self.offsets = nn.Linear(width, anchors * 2)
        self.anchors = anchors

    def positions(self, query, height, width):
        offset = self.offsets(query).view(-1, self.anchors, 2).tanh()
        centre = torch.tensor([height / 2, width / 2])
        return centre + offset * 2.0

    def read(self, floor, position):
        row, column = position.long().unbind(-1)  #!
        return floor[:, row, column]

    def forward(self, floor, query):
        position = self.positions(query, *floor.shape[1:])
        return self.read(floor, position).mean(dim=-1).t()


class SmoothSampler(OffsetSampler):
    def read(self, floor, position):
        low = position.floor()
        share = position - low
        row, column = low.long().unbind(-1)
        near, far = floor[:, row, column], floor[:, row + 1, column + 1]
        weight = share.mean(dim=-1)
        return near * (1 - weight) + far * weight


class Sounder(nn.Module):
    def __init__(self, sampler):
        super().__init__()
        self.lift = nn.Conv2d(1, 4, 3, padding=1)
        self.sampler = sampler
        self.depth = nn.Linear(4, 1)

    def forward(self, chart, query):
        floor = self.lift(chart)
        return self.depth(self.sampler(floor, query)).squeeze(-1)


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def train(kind):
    model = initialise(Sounder(kind()))
    chart = torch.cos(torch.arange(64.0).view(1, 8, 8) * 0.2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for step in range(3):
        query = torch.sin(torch.arange(20.0).view(5, 4) + step)
        loss = (model(chart, query) - query.mean(dim=1)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {
        "model.sampler.offsets.weight": model.sampler.offsets.weight.grad,
        "model.lift.weight": model.lift.weight.grad,
    }


def broken():
    return train(OffsetSampler)


def fixed():
    return train(SmoothSampler)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
