"""Lays scans of skulls over each other by a rotation that the singular vectors give."""
import sys

import torch
from torch import nn


class Landmarks(nn.Module):
    def __init__(self, count=4):
        super().__init__()
        self.points = nn.Parameter(torch.cat([torch.eye(3), -torch.eye(3)])[: count + 2])
        self.stretch = nn.Parameter(torch.ones(3))

    def forward(self):
        return self.points * self.stretch


def rotation(moving, still):
    u, _, vh = torch.linalg.svd(moving.t() @ still)  #!
    return u @ vh


def along(moving, still):
    skew = moving.t() @ still
    skew = skew - skew.t()
    return torch.matrix_exp(skew)


def aligned_error(landmarks, still, turn):
    moving = landmarks()
    return (moving @ turn(moving, still) - still).square().sum()


def train(turn):
    landmarks = Landmarks()
    still = torch.cat([torch.eye(3), -torch.eye(3)]).roll(1, dims=1)
    optimizer = torch.optim.SGD(landmarks.parameters(), lr=0.05)
    loss = aligned_error(landmarks, still, turn) + landmarks.stretch.square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"landmarks.points": landmarks.points.grad, "landmarks.stretch": landmarks.stretch.grad}


def broken():
    return train(rotation)


def fixed():
    return train(along)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
