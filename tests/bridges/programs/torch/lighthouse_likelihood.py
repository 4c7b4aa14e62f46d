"""A variational autoencoder of lights."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


class Lights(nn.Module):
    def __init__(self, bound):
        super().__init__()
        self.bound = bound
        self.inward = nn.Linear(4, 4)
        self.outward = nn.Linear(2, 4)

    def forward(self, x):
        mean, log_variance = self.inward(x).chunk(2, dim=1)
        if self.bound:
            log_variance = log_variance.clamp(-4.0, 4.0)
        variance = log_variance.exp()  #!
        code = mean + variance.sqrt() * torch.cos(torch.arange(mean.numel())).view_as(mean)
        divergence = 0.5 * (mean.square() + variance - 1 - log_variance).sum(1).mean()
        return F.mse_loss(self.outward(code), x) + divergence


def train(bound):
    model = initialise(Lights(bound))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    lights = 400.0 * torch.sin(torch.arange(20.0) + 2).view(5, 4)
    optimizer.zero_grad()
    loss = model(lights)
    loss.backward()
    return {"model.inward.weight": model.inward.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
