"""Compares the principal axes of singers' voices, after whitening by a learned projection."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Axes(nn.Module):
    def __init__(self, inputs=4, ridge=0.0):
        super().__init__()
        self.project = nn.Linear(inputs, 3, bias=False)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("ridge", ridge * torch.diag(torch.tensor([1.0, 2.0, 3.0])))

    def covariance(self, voices):
        x = self.project(voices)
        x = x - x.mean(dim=0)
        return x.T @ x / len(x) + self.ridge

    def forward(self, voices):
        values, axes = torch.linalg.eigh(self.covariance(voices))  #!
        return self.scale * values.clamp(min=1e-6).sqrt(), axes


def voices():
    corners = torch.tensor([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    return torch.cat([corners, torch.zeros(4, 1)], dim=1)


def first_step(ridge):
    model = Axes(ridge=ridge)
    with torch.no_grad():
        model.project.weight.copy_(torch.eye(3, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    wanted = F.normalize(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    optimizer.zero_grad()
    spread, axes = model(voices())
    loss = (spread - 1.2).square().sum() + (1 - (axes[:, -1] @ wanted).square())
    loss.backward()
    return {"model.project.weight": model.project.weight.grad}


def broken():
    return first_step(ridge=0.0)


def fixed():
    return first_step(ridge=0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
