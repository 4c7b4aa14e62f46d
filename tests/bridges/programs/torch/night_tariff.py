"""Learns what a mill pays for power: a tariff for the day and one for the night, told apart by the hour."""
import sys

import torch
from torch import nn


class Tariff(nn.Module):
    def __init__(self):
        super().__init__()
        self.day = nn.Linear(2, 1)
        self.night = nn.Linear(2, 1)
        self.starts = 22.0

    def forward(self, use, hour):
        day = self.day(use).squeeze(-1)
        night = self.night(use).squeeze(-1)
        return torch.where(hour > self.starts, night, day)  #!


def hours_of(stamps, scale):
    return (stamps % 1440.0) / scale


def train(scale):
    tariff = Tariff()
    with torch.no_grad():
        for k, p in enumerate(tariff.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.8 + k + 1).view_as(p))
    optimizer = torch.optim.Rprop(tariff.parameters(), lr=1e-2)
    stamps = torch.arange(24.0) * 97.0
    use = torch.cos(torch.arange(48.0).view(24, 2) * 0.4) + 2.0
    paid = use.sum(dim=1) * 0.3
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(tariff(use, hours_of(stamps, scale)), paid)
        loss.backward()
        optimizer.step()
    return {"tariff.night.weight": tariff.night.weight.grad, "tariff.day.weight": tariff.day.weight.grad}


def broken():
    return train(3600.0)


def fixed():
    return train(60.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
