"""Turns a camera until its view agrees with the wanted one; the loss is the angle between both."""
import sys

import torch
from torch import nn


class Camera(nn.Module):
    def __init__(self):
        super().__init__()
        self.aim = nn.Parameter(torch.tensor([0.0, 0.0, 2.0]))

    def forward(self):
        return self.aim / self.aim.norm()


def angle(a, b):
    return torch.acos((a * b).sum(dim=-1))  #!


def chord(a, b):
    return (a - b).square().sum(dim=-1)


def turn(distance):
    camera = Camera()
    optimizer = torch.optim.Adam(camera.parameters(), lr=0.05)
    views = torch.tensor([[0.0, 0.0, 1.0], [0.0, 0.6, 0.8]])
    for _ in range(2):
        optimizer.zero_grad()
        loss = distance(camera(), views).mean()
        loss.backward()
        optimizer.step()
    return {"camera.aim": camera.aim.grad}


def broken():
    return turn(angle)


def fixed():
    return turn(chord)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
