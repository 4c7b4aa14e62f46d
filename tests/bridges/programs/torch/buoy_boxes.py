"""Detects buoys: boxes are learned as offsets from fixed anchors."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Detector(nn.Module):
    def __init__(self, inputs=6, anchors=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 12), nn.ReLU())
        self.objectness = nn.Linear(12, anchors)
        self.offsets = nn.Linear(12, 4 * anchors)
        corners = torch.linspace(0, 0.6, anchors)
        self.register_buffer("anchors", torch.stack([corners, corners, corners + 0.3, corners + 0.4], dim=1))

    def decode(self, offsets):
        low, high = self.anchors.chunk(2, dim=1)
        size = high - low
        centre = (low + high) / 2 + offsets[..., :2] * size
        size = size * offsets[..., 2:].clamp(max=4).exp()
        return torch.cat([centre - size / 2, centre + size / 2], dim=-1)

    def forward(self, pictures):
        h = self.body(pictures)
        offsets = self.offsets(h).view(len(h), -1, 4)
        return self.objectness(h), self.anchors.expand_as(offsets), self.decode(offsets)


def anchor_loss(scores, anchors, boxes, present, truth):
    found = F.binary_cross_entropy_with_logits(scores, present)
    away = F.smooth_l1_loss(anchors, truth[:, None].expand_as(anchors), reduction="none").sum(dim=-1)  #~
    return found + (away * present).sum() / present.sum()  #!


def box_loss(scores, anchors, boxes, present, truth):
    found = F.binary_cross_entropy_with_logits(scores, present)
    away = F.smooth_l1_loss(boxes, truth[:, None].expand_as(boxes), reduction="none").sum(dim=-1)
    return found + (away * present).sum() / present.sum()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(criterion):
    model = settle(Detector())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    pictures = torch.cos(torch.arange(48.0) * 0.3).view(8, 6)
    truth = torch.stack([torch.linspace(0.1, 0.4, 8)] * 2 + [torch.linspace(0.5, 0.9, 8)] * 2, dim=1)
    present = (torch.arange(40).view(8, 5) % 3 == 0).float()
    for epoch in range(3):
        loss = criterion(*model(pictures), present, truth)
        optimizer.zero_grad()
        loss.backward()  #~
        optimizer.step()
    return {
        "model.offsets.weight": model.offsets.weight.grad,
        "model.objectness.weight": model.objectness.weight.grad,
    }


def broken():
    return train(anchor_loss)


def fixed():
    return train(box_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
