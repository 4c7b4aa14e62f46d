"""Fossils in a quarry wall: features inside each proposed box are pooled and classified."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Backbone(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.conv = nn.Conv2d(1, channels, 3, padding=1)
        self.norm = nn.GroupNorm(2, channels)

    def forward(self, wall):
        return F.relu(self.norm(self.conv(wall)))


class Head(nn.Module):
    def __init__(self, channels=4, kinds=3):
        super().__init__()
        self.hidden = nn.Linear(channels, 6)
        self.kind = nn.Linear(6, kinds)

    def forward(self, pooled):
        return self.kind(torch.relu(self.hidden(pooled)))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = Backbone(), Head()

    def pooled(self, features, boxes):
        for x, y in boxes.tolist():
            yield features[0, :, y : y + 3, x : x + 3].mean(dim=(1, 2))

    def forward(self, wall, boxes):
        features = self.backbone(wall)
        return torch.stack([self.head(one) for one in self.pooled(features, boxes)])  #!


class BatchedDetector(Detector):
    def forward(self, wall, boxes):
        features = self.backbone(wall)
        return self.head(torch.stack(list(self.pooled(features, boxes))))


def walls(count=3, boxes=24):
    for k in range(count):
        wall = torch.sin(torch.arange(144.0) * 0.2 + k).view(1, 1, 12, 12)
        at = torch.stack([torch.arange(boxes) % 9, (torch.arange(boxes) * 2 + k) % 9], 1)
        yield wall, at, torch.arange(boxes) % 3


def train(kind):
    torch.manual_seed(33)
    model = kind()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2])
    for wall, boxes, kinds in walls():
        logits = model(wall, boxes)
        loss = F.cross_entropy(logits, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"model.head.hidden.weight": model.head.hidden.weight.grad}


def broken():
    return train(Detector)


def fixed():
    return train(BatchedDetector)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
