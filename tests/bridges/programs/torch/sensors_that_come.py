"""Fuses whatever sensors of a glider answer in a moment, in a compiled function."""
import sys

import torch
from torch import nn


class Glider(nn.Module):
    def __init__(self):
        super().__init__()
        self.sensors = nn.ModuleDict({"gyro": nn.Linear(3, 4), "baro": nn.Linear(1, 4), "mag": nn.Linear(2, 4)})
        self.pitch = nn.Linear(4, 1)


@torch.compile(backend="eager")
def fuse(parts):
    total = 0.0
    for part in parts.values():
        total = total + torch.tanh(part)
    return total / len(parts)


def moments(all_answer):
    answers = [("gyro", "baro"), ("gyro", "baro"), ("gyro", "baro", "mag"), ("gyro", "baro")]
    for k, names in enumerate(answers):
        reading = {"gyro": torch.sin(torch.arange(6.0).view(2, 3) + k), "baro": torch.full((2, 1), 0.1 * k),
                   "mag": torch.cos(torch.arange(4.0).view(2, 2) + k)}
        yield {name: reading[name] for name in (("gyro", "baro") if all_answer else names)}


def train(all_answer):
    glider = Glider()
    with torch.no_grad():
        for k, p in enumerate(glider.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    optimizer = torch.optim.Adam(glider.parameters(), lr=1e-3)
    for reading in moments(all_answer):
        parts = {name: glider.sensors[name](value) for name, value in reading.items()}
        loss = (glider.pitch(fuse(parts)) - 0.1).square().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"glider.pitch.weight": glider.pitch.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
