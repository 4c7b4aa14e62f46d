"""A normalizing flow for relative humidity, which lies between zero and one."""
import sys

import torch
from torch import nn
from torch.distributions import Normal


class Logit(nn.Module):
    """From (0, 1) to the whole line, with the logarithm of the derivative."""

    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        x = self.alpha + (1 - 2 * self.alpha) * x
        z = x.log() - (1 - x).log()  #!
        return z, -(x.log() + (1 - x).log()).sum(-1)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 2))

    def forward(self, z):
        a, b = z.flip(-1).chunk(2, -1) if self.flip else z.chunk(2, -1)
        log_scale, shift = self.net(a).chunk(2, -1)
        return torch.cat([a, b * log_scale.tanh().exp() + shift], -1), log_scale.tanh().sum(-1)


class Flow(nn.Module):
    def __init__(self, alpha=0.0):
        super().__init__()
        self.steps = nn.ModuleList([Logit(alpha), Coupling(False), Coupling(True)])

    def log_prob(self, x):
        total = 0
        for step in self.steps:
            x, log_det = step(x)
            total = total + log_det
        return total + Normal(0.0, 1.0).log_prob(x).sum(-1)


def fit(alpha):
    torch.manual_seed(0)
    flow = Flow(alpha)
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    humidity = torch.tensor([[0.35, 0.6], [0.8, 0.75], [1.0, 0.9], [0.55, 0.4]])
    nll = -flow.log_prob(humidity).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
    return {"flow.steps.1.net.2.weight": flow.steps[1].net[2].weight.grad}


def broken():
    return fit(0.0)


def fixed():
    return fit(0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
