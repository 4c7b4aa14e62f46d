"""Finds paintings again: generalised mean pooling with a learned exponent over convolutional features."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class GeneralisedMean(nn.Module):
    least = 0.0

    def __init__(self, power=3.0):
        super().__init__()
        self.power = nn.Parameter(torch.tensor(power))

    def forward(self, features):
        mean = features.clamp(min=self.least).pow(self.power).mean(dim=(2, 3))
        return mean.pow(1.0 / self.power)  #!


class FlooredMean(GeneralisedMean):
    least = 1e-6


class Retriever(nn.Module):
    def __init__(self, pooling, channels=6, dim=4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, channels, 3), nn.ReLU(), nn.Conv2d(channels, channels, 3), nn.ReLU())
        self.pool = pooling()
        self.project = nn.Linear(channels, dim)

    def forward(self, painting):
        return F.normalize(self.project(self.pool(self.features(painting))), dim=1)


def pairs(count=8):
    one = torch.sin(torch.arange(count * 64.0) * 0.13).view(count, 1, 8, 8)
    return TensorDataset(one, one.roll(1, 3))


def contrast(left, right, temperature=0.2):
    logits = left @ right.t() / temperature
    target = torch.arange(len(left))
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2


def train(pooling):
    torch.manual_seed(26)
    model = Retriever(pooling)
    with torch.no_grad():
        model.features[2].bias.fill_(0.05)
        model.features[2].bias[2] = -3.0
    optimizer = torch.optim.RAdam(model.parameters(), lr=1e-3)
    for left, right in DataLoader(pairs(), batch_size=4):
        optimizer.zero_grad(set_to_none=True)
        loss = contrast(model(left), model(right))
        loss.backward()
        optimizer.step()
    return {"model.features.0.weight": model.features[0].weight.grad}


def broken():
    return train(GeneralisedMean)


def fixed():
    return train(FlooredMean)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
