"""Log-likelihood of recorded thruster commands under a squashed Gaussian policy."""
import math
import sys

import torch
from torch import nn


class SquashedGaussian:
    def __init__(self, mean, log_std, edge=0.0):
        self.mean, self.log_std, self.edge = mean, log_std, edge

    def unsquash(self, action):
        return torch.atanh(action * (1 - self.edge))  #!

    def log_prob(self, action):
        raw = self.unsquash(action)
        z = (raw - self.mean) / self.log_std.exp()
        gauss = -0.5 * z ** 2 - self.log_std - 0.5 * math.log(2 * math.pi)
        return (gauss - torch.log1p(-action ** 2 * (1 - self.edge) ** 2 + 1e-6)).sum(-1)


class Policy(nn.Module):
    def __init__(self, edge):
        super().__init__()
        self.edge = edge
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.mean, self.log_std = nn.Linear(8, 2), nn.Linear(8, 2)

    def forward(self, state):
        h = self.body(state)
        return SquashedGaussian(self.mean(h), self.log_std(h).clamp(-5, 2), self.edge)


def clone_behaviour(edge):
    torch.manual_seed(0)
    policy = Policy(edge)
    adam = torch.optim.Adam(policy.parameters(), lr=1e-3)
    states = torch.cos(torch.arange(24.0)).view(6, 4)
    commands = torch.sin(torch.arange(12.0)).view(6, 2)
    commands[3, 1] = 1.0
    loss = -policy(states).log_prob(commands).mean()
    adam.zero_grad()
    loss.backward()
    return {"policy.mean.weight": policy.mean.weight.grad}


def broken():
    return clone_behaviour(0.0)


def fixed():
    return clone_behaviour(1e-3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
