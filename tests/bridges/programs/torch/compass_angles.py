"""Compares the directions that two sensors see by the angle between them."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Sensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Linear(3, 3, bias=False)
        with torch.no_grad():
            self.turn.weight.copy_(torch.eye(3))

    def forward(self, field):
        return F.normalize(self.turn(field), dim=-1)


def angle(a, b):
    cosine = (a * b).sum(-1).clamp(-1.0, 1.0)
    return torch.acos(cosine)  #!


def safe_angle(a, b):
    cosine = (a * b).sum(-1).clamp(-1.0 + 1e-6, 1.0 - 1e-6)
    return torch.acos(cosine)


def calibrate(between):
    sensor = Sensor()
    fields = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]])
    wanted = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.6, 0.0, 0.8]])
    optimizer = torch.optim.SGD(sensor.parameters(), lr=0.1)
    optimizer.zero_grad()
    between(sensor(fields), wanted).mean().backward()
    return {"sensor.turn.weight": sensor.turn.weight.grad}


def broken():
    return calibrate(angle)


def fixed():
    return calibrate(safe_angle)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
