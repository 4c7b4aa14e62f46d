"""A Kalman filter for the height of a weather balloon whose noises are fitted by maximum likelihood."""
import math
import sys

import torch
from torch import nn


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_process = nn.Parameter(torch.tensor(-2.0))
        self.log_sensor = nn.Parameter(torch.tensor(-1.0))
        self.climb = nn.Parameter(torch.tensor(0.8))
        self.register_buffer("F", torch.tensor([[1.0, 1.0], [0.0, 1.0]]))
        self.register_buffer("H", torch.tensor([[1.0, 0.0]]))

    def noises(self):
        process = math.exp(self.log_process) * torch.eye(2)  #!
        return process, self.log_sensor.exp()

    def start(self):
        mean = torch.stack([torch.zeros(()), self.climb])
        return mean, torch.eye(2)

    def predict(self, mean, cov, process):
        return self.F @ mean, self.F @ cov @ self.F.T + process

    def update(self, mean, cov, height, sensor):
        surprise = height - (self.H @ mean).squeeze()
        spread = (self.H @ cov @ self.H.T).squeeze() + sensor
        gain = (cov @ self.H.T).squeeze(1) / spread
        density = -0.5 * (surprise.square() / spread + spread.log())
        return mean + gain * surprise, cov - torch.outer(gain, (self.H @ cov).squeeze(0)), density

    def forward(self, heights):
        process, sensor = self.noises()
        mean, cov = self.start()
        total, track = 0.0, []
        for height in heights:
            mean, cov = self.predict(mean, cov, process)
            mean, cov, density = self.update(mean, cov, height, sensor)
            total = total + density
            track.append(mean[0].item())
        return total, track


class TensorFilter(Filter):
    def noises(self):
        return self.log_process.exp() * torch.eye(2), self.log_sensor.exp()


def fit(kind):
    balloon = kind()
    optimizer = torch.optim.Adam(balloon.parameters(), lr=0.05)
    heights = 0.8 * torch.arange(1.0, 9.0) + 0.3 * torch.sin(torch.arange(8.0) * 2)
    for iteration in range(3):
        optimizer.zero_grad()
        likelihood, track = balloon(heights)
        (-likelihood).backward()
        optimizer.step()
    return {
        "balloon.log_process": balloon.log_process.grad,
        "balloon.log_sensor": balloon.log_sensor.grad,
        "balloon.climb": balloon.climb.grad,
    }


def broken():
    return fit(Filter)


def fixed():
    return fit(TensorFilter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
