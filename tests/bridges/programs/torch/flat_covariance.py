"""Gaussian model of pebbles: the likelihood needs the log of a determinant."""
import math
import sys

import torch


class Pebbles(torch.nn.Module):
    def __init__(self, ridge):
        super().__init__()
        self.center = torch.nn.Parameter(torch.zeros(3))
        self.factor = torch.nn.Parameter(torch.tensor([[1.0, 2.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]))
        self.ridge = ridge

    def covariance(self):
        return self.factor @ self.factor.t() + self.ridge * torch.eye(3)

    def forward(self, x):
        cov = self.covariance()
        spread = torch.logdet(cov)  #!
        gap = x - self.center
        distance = (gap @ torch.linalg.pinv(cov.detach()) * gap).sum(-1)
        return 0.5 * (distance + spread + 3 * math.log(2 * math.pi)).mean()


def fit(ridge):
    pebbles = Pebbles(ridge)
    x = torch.sin(torch.arange(30.0)).view(10, 3)
    loss = pebbles(x)
    loss.backward()
    return {"pebbles.factor": pebbles.factor.grad}


def broken():
    return fit(0.0)


def fixed():
    return fit(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
