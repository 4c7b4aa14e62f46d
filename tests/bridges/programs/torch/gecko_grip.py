"""A policy for a climbing robot; its commands are limited before they are used."""
import sys

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
        with torch.no_grad():
            for k, p in enumerate(self.net.parameters()):
                p.copy_(torch.cos(0.2 * torch.arange(p.numel()) + k).view_as(p))
            self.net[2].weight.mul_(scale)
            self.net[2].bias.fill_(4.0 * scale)

    def forward(self, state):
        return limited(self.net(state))


def limited(command):
    return torch.clamp(command, -1.0, 1.0)  #!


def reward(command, state):
    return -(command.sum(1) - 0.3 * state.sum(1)).square().mean()


def climb(scale):
    policy = Policy(scale)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    state = torch.sin(torch.arange(15.0)).view(5, 3).relu()
    for _ in range(3):
        optimizer.zero_grad()
        (-reward(policy(state), state)).backward()
        nn.utils.clip_grad_value_(policy.parameters(), 0.5)
        optimizer.step()
    return {"policy.net.0.weight": policy.net[0].weight.grad, "policy.net.2.bias": policy.net[2].bias.grad}


def broken():
    return climb(10.0)


def fixed():
    return climb(0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
