"""Forecasts of rain for regions; the head is exchanged when a region has other classes."""
import sys

import torch
from torch import nn


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.7 + k).view_as(p))


class Forecaster(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.LazyLinear(6), nn.Tanh(), nn.LazyLinear(6), nn.Tanh())
        self.head = nn.Linear(6, classes)  #!

    def forward(self, x):
        return self.head(self.features(x))


def adapt(model, classes):
    model.head = nn.Linear(6, classes)
    settle(model)
    return model


def keep(model, classes):
    settle(model)
    return model


def fine_tune(prepare, classes=4):
    model = Forecaster(classes)
    x = torch.sin(torch.arange(40.0)).view(8, 5)
    model.features(x)
    head = model.head
    prepare(model, classes)
    optimizer = torch.optim.AdamW([{"params": model.features.parameters(), "lr": 1e-4}, {"params": model.head.parameters()}], lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), torch.arange(8) % classes, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"head.weight": head.weight.grad, "model.features.0.weight": model.features[0].weight.grad}


def broken():
    return fine_tune(adapt)


def fixed():
    return fine_tune(keep)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
