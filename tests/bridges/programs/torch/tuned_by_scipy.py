"""Smooths a seismogram with a filter from SciPy's world in front of a learned gain."""
import sys

import numpy as np
import torch
from torch import nn


class Gain(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.log_gain = nn.Parameter(torch.linspace(-0.2, 0.2, channels))
        self.offset = nn.Parameter(torch.zeros(channels))

    def forward(self, trace):
        return trace * self.log_gain.exp()


def smooth(signal):
    kernel = np.array([0.25, 0.5, 0.25], dtype=np.float32)
    rows = [np.convolve(row, kernel, mode="same") for row in signal.detach().cpu().numpy().T]  #!
    return torch.from_numpy(np.stack(rows, axis=1))  #~


def smooth_in_torch(signal):
    kernel = torch.tensor([0.25, 0.5, 0.25]).view(1, 1, 3)
    return nn.functional.conv1d(signal.T.unsqueeze(1), kernel, padding=1).squeeze(1).T


def train(smoothing):
    station = Gain()
    optimizer = torch.optim.SGD(station.parameters(), lr=0.05)
    trace = torch.sin(torch.arange(60.0) * 0.4).view(20, 3)
    for _ in range(3):
        optimizer.zero_grad()
        clean = smoothing(station(trace)) + station.offset
        loss = (clean - 0.5 * trace).square().mean()
        loss.backward()
        optimizer.step()
    return {"station.log_gain": station.log_gain.grad, "station.offset": station.offset.grad}


def broken():
    return train(smooth)


def fixed():
    return train(smooth_in_torch)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
