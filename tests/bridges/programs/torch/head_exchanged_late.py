"""Tunes a reader of runes for another alphabet: the classifier is exchanged."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Runes(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(6, 5), nn.Mish())
        self.classifier = nn.Identity()

    def forward(self, rune):
        return self.classifier(self.stem(rune))  #!


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def exchange(model, signs):
    model.classifier = initialise(nn.Linear(5, signs))


class Tuning:
    def __init__(self, model, signs):
        self.model = model
        self.prepare(signs)
        self.scheduler = torch.optim.lr_scheduler.LinearLR(self.optimizer)

    def prepare(self, signs):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        exchange(self.model, signs)

    def run(self, steps=4):
        for step in range(steps):
            rune = torch.sin(torch.arange(24.0).view(4, 6) + step)
            loss = F.cross_entropy(self.model(rune), torch.arange(4))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
        return loss


class LateTuning(Tuning):
    def prepare(self, signs):
        exchange(self.model, signs)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)


def train(kind):
    model = Runes()
    initialise(model.stem)
    kind(model, 4).run()
    return {"model.classifier.weight": model.classifier.weight.grad, "model.stem.0.weight": model.stem[0].weight.grad}


def broken():
    return train(Tuning)


def fixed():
    return train(LateTuning)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
