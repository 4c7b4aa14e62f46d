"""A saliency map: which pixels of a bird's picture speak for its species."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class BirdNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.head = nn.Linear(2, 4)

    def forward(self, picture):
        maps = F.relu(self.norm(self.conv(picture)))
        return self.head(maps.mean(dim=(2, 3)))


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return model


def normalise(picture):
    return (picture - 0.45) / 0.22  #!


def saliency(model, picture, prepare):
    batch = prepare(picture)
    scores = model(batch)
    best = scores.argmax(dim=1)
    score = scores.gather(1, best.unsqueeze(1)).sum()
    score.backward()
    return picture.grad


def watch_after(picture):
    batch = normalise(picture).unsqueeze(0)
    picture.requires_grad_(True)  #~
    return batch


def watch_before(picture):
    picture.requires_grad_(True)
    return normalise(picture).unsqueeze(0)


def explain(prepare):
    model = initialise(BirdNet()).eval()
    picture = torch.sin(torch.arange(36.0)).view(1, 6, 6) * 0.5 + 0.5
    return {"picture": saliency(model, picture, prepare), "model.head.weight": model.head.weight.grad}


def broken():
    return explain(watch_after)


def fixed():
    return explain(watch_before)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
