"""Classifies cheeses, with a temperature that calibrates the reported probabilities."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class CheeseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 5), nn.SiLU(), nn.Linear(5, 3))
        self.temperature = nn.Parameter(torch.tensor(1.5))

    def forward(self, sample):
        return self.body(sample)

    def calibrated(self, logits):
        return logits / self.temperature


def initialise(model):
    with torch.no_grad():
        for p in model.body.parameters():
            p.copy_(torch.sin(torch.arange(p.numel()) * 2.1).view_as(p) * 0.5)
    return model


class Report:
    def __init__(self):
        self.confidences = []

    def add(self, logits):
        self.confidences.append(logits.softmax(dim=1).amax(dim=1).mean().item())


def train(use_calibrated):
    model = initialise(CheeseNet())
    samples = torch.linspace(-1.0, 1.0, 24).view(6, 4)
    kinds = torch.arange(6) % 3
    report = Report()
    for _ in range(3):
        logits = model(samples)
        calibrated = model.calibrated(logits)
        report.add(calibrated)
        loss = F.cross_entropy(calibrated if use_calibrated else logits, kinds)  #!
        model.zero_grad()
        loss.backward()  #~
    return {"model.temperature": model.temperature.grad, "model.body.0.weight": model.body[0].weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
