"""Sorts mussels by picture, with a loop over phases that trains in one and judges in the other."""
import enum
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Phase(enum.Enum):
    TRAIN = "train"
    JUDGE = "judge"


class Mussels(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.kind = nn.Linear(2, 2)

    def forward(self, picture):
        return self.kind(self.features(picture))  #!


class Loop:
    def __init__(self, model, learns):
        self.model, self.learns = model, learns
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        self.history = {phase: [] for phase in Phase}

    def epoch(self, phase, batches):
        self.model.train(phase is Phase.TRAIN)
        for picture, kind in batches:
            with torch.set_grad_enabled(self.learns(phase)):  #~
                loss = F.cross_entropy(self.model(picture), kind)  #~
            if phase is Phase.TRAIN:
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.history[phase].append(loss.item())


def batches(first):
    for k in range(first, first + 2):
        yield torch.sin(torch.arange(100.0).view(4, 1, 5, 5) * 0.2 + k), torch.tensor([0, 1, 0, 1])


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(learns):
    model = initialise(Mussels())
    loop = Loop(model, learns)
    for _ in range(2):
        loop.epoch(Phase.TRAIN, batches(0))
        loop.epoch(Phase.JUDGE, batches(5))
    return {"model.features.0.weight": model.features[0].weight.grad, "model.kind.weight": model.kind.weight.grad}


def broken():
    return train(lambda phase: phase == "train")


def fixed():
    return train(lambda phase: phase is Phase.TRAIN)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
