"""Calibrates gas sensors whose level drifts: readings are taken relative to a running mean."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class RunningMean:
    def __init__(self, momentum=0.9):
        self.momentum, self.value = momentum, None

    def update(self, x):
        mean = x.mean(dim=0)
        self.value = mean if self.value is None else self.momentum * self.value + (1 - self.momentum) * mean  #!
        return self.value


class QuietRunningMean(RunningMean):
    def update(self, x):
        mean = x.mean(dim=0)
        self.value = mean if self.value is None else self.momentum * self.value.detach() + (1 - self.momentum) * mean
        return self.value


class Calibration(nn.Module):
    def __init__(self, mean, sensors=3):
        super().__init__()
        self.gain = nn.Parameter(torch.linspace(0.8, 1.2, sensors))
        self.offset = nn.Parameter(torch.zeros(sensors))
        self.mean = mean

    def forward(self, raw):
        scaled = self.gain * raw + self.offset
        return scaled - 0.5 * self.mean.update(scaled)


def days(count):
    for k in range(count):
        raw = torch.sin(torch.arange(18.0) * 0.5 + k).view(6, 3)
        yield raw, raw.mean(dim=1, keepdim=True).expand_as(raw)


def train(mean):
    model = Calibration(mean)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for raw, truth in days(4):
        loss = F.mse_loss(model(raw), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"model.gain": model.gain.grad, "model.offset": model.offset.grad}


def broken():
    return train(RunningMean())


def fixed():
    return train(QuietRunningMean())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
