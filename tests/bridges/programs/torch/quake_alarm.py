"""An alarm for earthquakes: a learned threshold on the energy of a window."""
import sys

import torch
from torch import nn


class Alarm(nn.Module):
    def __init__(self):
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor(0.55))
        self.cost = nn.Parameter(torch.tensor(1.0))

    def energy(self, windows):
        return windows.square().mean(dim=1)

    def rings(self, windows):
        return (self.energy(windows) > self.threshold).float()  #!

    def forward(self, windows, quakes):
        rings = self.rings(windows)
        misses = (quakes * (1.0 - rings)).sum()
        false = ((1.0 - quakes) * rings).sum()
        return misses * 4.0 + false * self.cost.exp() + 0.1 * self.cost


class SoftAlarm(Alarm):
    def rings(self, windows):
        return torch.sigmoid((self.energy(windows) - self.threshold) * 20.0)


def windows():
    time = torch.arange(40.0).view(5, 8)
    return torch.sin(time * 0.7) * torch.linspace(0.4, 1.8, 5).unsqueeze(1)


def train(kind):
    model = kind()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    quakes = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0])
    for _ in range(2):
        optimizer.zero_grad()
        model(windows(), quakes).backward()
        optimizer.step()
    return {"model.threshold": model.threshold.grad, "model.cost": model.cost.grad}


def broken():
    return train(Alarm)


def fixed():
    return train(SoftAlarm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
