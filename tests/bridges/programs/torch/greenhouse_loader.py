"""Predicts the yield of greenhouse beds from batches of a data loader."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Beds(Dataset):
    def __init__(self, count):
        self.light = torch.sin(torch.arange(float(count * 3))).view(count, 3)
        self.yields = self.light.sum(1) * 0.4 + 1.0

    def __len__(self):
        return len(self.light)

    def __getitem__(self, index):
        return self.light[index], self.yields[index]


class Scaler(nn.Module):
    """Brings the sensors to one scale."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.full((3,), 1.5))

    @torch.no_grad()
    def standardise(self, light):
        centred = light - light.mean(0)
        return centred * self.gain  #!

    def forward(self, light):
        return self.standardise(light)


class LearntScaler(Scaler):
    def forward(self, light):
        return (light - light.mean(0)) * self.gain


def build(scaler):
    model = nn.Sequential(scaler, nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with torch.no_grad():
        for k, p in enumerate(model[1:].parameters()):
            p.copy_(torch.cos(torch.arange(p.numel()) + k).view_as(p))
    return model


def validate(model, beds):
    with torch.no_grad():
        return model(beds.light).squeeze(1).sub(beds.yields).square().mean().item()


def train(scaler):
    beds = Beds(12)
    model = build(scaler)
    optimizer = torch.optim.AdamW([{"params": model[0].parameters(), "lr": 0.01}, {"params": model[1:].parameters()}], lr=0.02)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for epoch in range(2):
        for light, wanted in DataLoader(beds, batch_size=4):
            optimizer.zero_grad()
            loss = (model(light).squeeze(1) - wanted).square().mean()
            loss.backward()
            optimizer.step()
        schedule.step()
        validate(model, beds)
    return {"model.0.gain": model[0].gain.grad, "model.1.weight": model[1].weight.grad}


def broken():
    return train(Scaler())


def fixed():
    return train(LearntScaler())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
