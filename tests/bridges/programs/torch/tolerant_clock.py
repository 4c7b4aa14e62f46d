"""Corrects a tower clock; errors within the tolerance do not count."""
import sys

import torch
from torch import nn


class Clock(nn.Module):
    def __init__(self):
        super().__init__()
        self.drift = nn.Linear(2, 1)

    def forward(self, weather):
        return self.drift(weather).squeeze(-1)


class TolerantLoss(nn.Module):
    def __init__(self, tolerance):
        super().__init__()
        self.tolerance = tolerance

    def forward(self, guess, seen):
        return torch.relu((guess - seen).abs() - self.tolerance).mean()  #!


def fit(tolerance):
    clock = Clock()
    with torch.no_grad():
        clock.drift.weight.copy_(torch.tensor([[0.3, -0.2]]))
        clock.drift.bias.fill_(0.1)
    criterion = TolerantLoss(tolerance)
    optimizer = torch.optim.SGD(clock.parameters(), lr=0.1, nesterov=True, momentum=0.8)
    weather = torch.sin(torch.arange(16.0).view(8, 2) * 0.5)
    seen = 0.9 * weather[:, 0]
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(clock(weather), seen)
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    print("losses", losses)
    return {"clock.drift.weight": clock.drift.weight.grad, "clock.drift.bias": clock.drift.bias.grad}


def broken():
    return fit(60.0)


def fixed():
    return fit(0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
