"""A vision model for mushrooms whose projection is left over from another task."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Mushrooms(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.patch = nn.Conv2d(1, dim, 2, stride=2)
        self.mix = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.projection = nn.Linear(dim, dim)  #!
        self.classes = nn.Linear(dim, classes)
        self.projects = False

    def forward(self, image):
        tokens = self.patch(image).flatten(2).transpose(1, 2)
        mixed, _ = self.mix(tokens, tokens, tokens, need_weights=False)
        pooled = (tokens + mixed).mean(dim=1)
        return self.head(pooled)

    def head(self, pooled):
        return self.classes(F.gelu(pooled))


class Projected(Mushrooms):
    def head(self, pooled):
        return self.classes(F.gelu(self.projection(pooled)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    images, labels = torch.sin(torch.arange(96.0)).view(6, 1, 4, 4), torch.arange(6) % 3
    for k in range(0, 6, 3):
        optimizer.zero_grad()
        F.cross_entropy(model(images[k:k + 3]), labels[k:k + 3]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return {"model.projection.weight": model.projection.weight.grad, "model.classes.weight": model.classes.weight.grad}


def broken():
    return train(Mushrooms)


def fixed():
    return train(Projected)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
