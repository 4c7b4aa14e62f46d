"""Gaussian process regression of wind speeds; hyperparameters by maximum likelihood."""
import math
import sys

import torch
from torch import nn


class WindProcess(nn.Module):
    def __init__(self, places, reuse):
        super().__init__()
        self.places, self.reuse = places, reuse
        self.log_length = nn.Parameter(torch.tensor(0.0))
        self.log_noise = nn.Parameter(torch.tensor(-1.0))
        self.mean = nn.Parameter(torch.tensor(0.1))
        self._factor = None

    def kernel(self):
        distance = (self.places.unsqueeze(0) - self.places.unsqueeze(1)).square()
        return torch.exp(-0.5 * distance / self.log_length.exp() ** 2)

    def factor(self):
        if self._factor is None or not self.reuse:
            noise = self.log_noise.exp() * torch.eye(len(self.places))
            self._factor = torch.linalg.cholesky(self.kernel() + noise)  #~
        return self._factor

    def forward(self, speeds):
        residual = (speeds - self.mean).unsqueeze(-1)
        root = self.factor()
        alpha = torch.cholesky_solve(residual, root)  #!
        fit = 0.5 * (residual * alpha).sum()
        return fit + root.diagonal().log().sum() + 0.5 * len(speeds) * math.log(2 * math.pi)  #~


def train(reuse):
    places = torch.linspace(0.0, 4.0, 7)
    speeds = torch.sin(places) + 0.2 * torch.cos(5 * places)
    model = WindProcess(places, reuse)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for iteration in range(4):
        optimizer.zero_grad()
        loss = model(speeds)
        loss.backward()
        optimizer.step()
    return {"model.log_length": model.log_length.grad, "model.mean": model.mean.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
