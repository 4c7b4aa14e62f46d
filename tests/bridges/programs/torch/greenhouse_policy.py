"""Learns to heat a greenhouse by backpropagation through a model of its climate."""
import sys

import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self, draw, width=8):
        super().__init__()
        self.draw = draw
        self.body = nn.Sequential(nn.Linear(2, width), nn.Tanh())
        self.mean = nn.Linear(width, 1)
        self.log_std = nn.Parameter(torch.tensor([-1.0]))

    def forward(self, state):
        return self.draw(Normal(self.mean(self.body(state)), self.log_std.exp()))


def draw(dist):
    return dist.sample()  #!


def draw_along(dist):
    return dist.rsample()


class Climate(nn.Module):
    """Inside temperature and soil moisture after half an hour."""

    def __init__(self):
        super().__init__()
        self.loss_rate = nn.Parameter(torch.tensor(0.2))
        self.register_buffer("outside", torch.sin(torch.arange(8.0)))

    def forward(self, state, heat, k):
        warm, moist = state.unbind(dim=1)
        warm = warm + heat.squeeze(1) - self.loss_rate * (warm - self.outside[k])
        moist = moist - 0.05 * warm.clamp(min=0)
        return torch.stack([warm, moist], dim=1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.body.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
        module.mean.weight.copy_(torch.linspace(-0.3, 0.4, 8).view(1, 8))
        module.mean.bias.zero_()
    return module


@torch.no_grad()
def evaluate(policy, climate, state):
    for k in range(8):
        state = climate(state, policy.mean(policy.body(state)), k)
    return state[:, 0].mean().item()


def rollout(policy, climate, state):
    cost = 0.0
    for k in range(8):
        heat = policy(state)
        state = climate(state, heat, k)
        cost = cost + ((state[:, 0] - 1.5) ** 2).mean() + 0.01 * (heat ** 2).mean()
    return cost


def train(how):
    torch.manual_seed(3)
    policy, climate = settle(Policy(how)), Climate()
    optimizer = torch.optim.Adam([*policy.parameters(), *climate.parameters()], lr=3e-3)
    start = torch.stack([torch.linspace(-1, 1, 6), torch.linspace(0.2, 0.8, 6)], dim=1)
    for iteration in range(3):
        cost = rollout(policy, climate, start)
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        evaluate(policy, climate, start)
    return {
        "policy.mean.weight": policy.mean.weight.grad,
        "policy.log_std": policy.log_std.grad,
        "climate.loss_rate": climate.loss_rate.grad,
    }


def broken():
    return train(draw)


def fixed():
    return train(draw_along)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
