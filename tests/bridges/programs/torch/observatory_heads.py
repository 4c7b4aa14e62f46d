"""A star classifier with a spare head for distances."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


class Stars(nn.Module):
    def __init__(self, both):
        super().__init__()
        self.both = both
        self.body = nn.Sequential(nn.Linear(4, 6), nn.GELU())
        self.kind = nn.Linear(6, 3)
        self.distance = nn.Linear(6, 1)  #!

    def forward(self, light):
        seen = self.body(light)
        if self.both:  #~
            return self.kind(seen), self.distance(seen)
        return self.kind(seen), None


def train(both):
    model = initialise(Stars(both))
    light = torch.cos(torch.arange(20.0)).view(5, 4)
    kinds = torch.arange(5) % 3
    logits, distance = model(light)
    loss = F.cross_entropy(logits, kinds)
    if distance is not None:
        loss = loss + distance.square().mean()
    loss.backward()
    return {"model.distance.weight": model.distance.weight.grad, "model.kind.weight": model.kind.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
