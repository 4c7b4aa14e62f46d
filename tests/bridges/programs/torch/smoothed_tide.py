"""Separates a tide from waves: a network cleans the signal, a window smooths it."""
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

WINDOW = np.hanning(7)[1:-1] / np.hanning(7).sum()


class Cleaner(nn.Module):
    def __init__(self, smooth, channels=3):
        super().__init__()
        self.smooth = smooth
        self.lift = nn.Conv1d(1, channels, 5, padding=2)
        self.drop = nn.Conv1d(channels, 1, 1)
        self.level = nn.Parameter(torch.zeros(()))

    def forward(self, signal):
        cleaned = self.drop(torch.tanh(self.lift(signal))).squeeze(1)
        return self.smooth(cleaned) + self.level


def smooth_rows(signal):
    rows = [np.convolve(row, WINDOW, mode="same") for row in signal.detach().numpy()]  #!
    return torch.from_numpy(np.stack(rows)).to(signal.dtype)


def smooth_tensor(signal):
    window = torch.from_numpy(WINDOW).to(signal.dtype)
    return F.conv1d(signal[:, None], window[None, None], padding=len(WINDOW) // 2).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            if p.dim():
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    return module


def train(smooth):
    model = settle(Cleaner(smooth))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    hours = torch.arange(48.0).view(2, 24)
    tide = torch.sin(hours / 4)
    signal = tide + 0.3 * torch.cos(hours * 2.5)
    errors = []
    for epoch in range(3):
        optimizer.zero_grad()
        loss = F.mse_loss(model(signal[:, None]), tide)
        loss.backward()
        optimizer.step()
        errors.append(float(loss))
    return {"model.lift.weight": model.lift.weight.grad, "model.level": model.level.grad}


def broken():
    return train(smooth_rows)


def fixed():
    return train(smooth_tensor)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
