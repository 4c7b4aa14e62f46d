"""Counts of seeds in a trap: a negative binomial with mean and dispersion from the weather."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Seeds(nn.Module):
    def __init__(self, positive=F.relu):
        super().__init__()
        self.mean = nn.Linear(3, 1)
        self.spread = nn.Linear(3, 1)
        self.positive = positive

    def forward(self, weather):
        return F.softplus(self.mean(weather)) + 1e-3, self.positive(self.spread(weather))


def likelihood(mean, size, count):
    above = torch.lgamma(count + size) - torch.lgamma(count + 1)
    below = torch.lgamma(size)  #!
    share = mean / (mean + size)
    return above - below + size * torch.log1p(-share) + count * torch.log(share)


def train(positive):
    torch.manual_seed(24)
    model = Seeds(positive)
    nn.init.constant_(model.spread.bias, -0.3)
    weather = torch.cos(torch.arange(24.0)).view(8, 3)
    count = torch.arange(1.0, 9.0).unsqueeze(1)
    loss = -likelihood(*model(weather), count).mean()
    loss.backward()
    return {"model.spread.weight": model.spread.weight.grad}


def broken():
    return train(F.relu)


def fixed():
    return train(lambda x: F.softplus(x) + 1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
