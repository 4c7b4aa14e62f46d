"""Counts cells in microscope pictures; a gate per picture, normalised, says how much the texture counts."""
import sys

import torch
from torch import nn


class GatedCounter(nn.Module):
    def __init__(self, channels=6, gates=1):
        super().__init__()
        self.texture = nn.Conv2d(1, channels, 3, padding=1)
        self.gate = nn.Linear(channels, gates)
        self.norm = nn.LayerNorm(gates)
        self.count = nn.Linear(channels, 1)

    def forward(self, picture):
        features = torch.relu(self.texture(picture)).mean(dim=(2, 3))
        openness = torch.sigmoid(self.norm(self.gate(features)))  #!
        return self.count(features * openness.mean(dim=1, keepdim=True)).squeeze(-1)


def slides(count=6, size=8):
    picture = torch.sin(torch.arange(count * size * size) * 0.19).reshape(count, 1, size, size)
    return picture, (picture > 0.8).float().sum(dim=(1, 2, 3))


def train(gates, steps=3):
    torch.manual_seed(15)
    counter = GatedCounter(gates=gates)
    optimizer = torch.optim.SGD(counter.parameters(), lr=1e-3, momentum=0.9)
    picture, cells = slides()
    for _ in range(steps):
        expected = nn.functional.softplus(counter(picture))
        loss = nn.functional.poisson_nll_loss(expected, cells, log_input=False)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(counter.parameters(), 1.0)
        optimizer.step()
    return {"counter.gate.weight": counter.gate.weight.grad, "counter.texture.weight": counter.texture.weight.grad}


def broken():
    return train(gates=1)  #~


def fixed():
    return train(gates=4)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
