"""Fuses the sensors of a ship; some hours lack the radar. The fusion is compiled."""
import sys
from typing import Dict

import torch
from torch import nn, Tensor


class Fusion(nn.Module):
    def __init__(self, names, dim=3):
        super().__init__()
        self.read = nn.ModuleDict({name: nn.Linear(dim, 4) for name in names})
        self.out = nn.Linear(4, 1)

    def forward(self, sensors: Dict[str, Tensor]) -> Tensor:
        h = sum(self.read[name](value) for name, value in sensors.items())
        return self.out(torch.relu(h)).squeeze(-1)


def hours(whole):
    for k in range(4):
        reading = torch.sin(torch.arange(6.0) + k).view(2, 3)
        sensors = {"sonar": reading, "radar": reading.flip(0), "compass": reading.cos()}
        if k == 1 and not whole:
            del sensors["radar"]
        yield sensors


def train(whole):
    torch.manual_seed(0)
    fusion = Fusion(["sonar", "radar", "compass"])
    optimizer = torch.optim.SGD(fusion.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def hourly_loss(sensors):
        return (fusion(sensors) - 0.5).abs().mean()

    for sensors in hours(whole):
        optimizer.zero_grad()
        hourly_loss(sensors).backward()  #!
        optimizer.step()
    return {"fusion.read.sonar.weight": fusion.read["sonar"].weight.grad}


def broken():
    return train(whole=False)


def fixed():
    return train(whole=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
