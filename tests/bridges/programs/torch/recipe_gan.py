"""Generates flavour profiles: critic and cook take turns, and each keeps to its own optimizer."""
import sys

import torch
from torch import nn


class Cook(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 10)
        self.out = nn.Linear(10, 6)
        nn.init.zeros_(self.out.bias)

    def forward(self, noise):
        return torch.sigmoid(self.out(torch.relu(self.mix(noise))))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.taste = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 12))
        self.score = nn.Linear(12, 1)

    def forward(self, flavour):
        return self.score(nn.functional.leaky_relu(self.taste(flavour), 0.2)).squeeze(-1)


def penalty(critic, real, made, share):
    between = (share * real + (1 - share) * made).detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def recipes(round_number, count=8):
    real = torch.sigmoid(torch.sin(torch.arange(count * 6).reshape(count, 6) * 0.7))
    return real, torch.cos(torch.arange(count * 4).reshape(count, 4) * (1.3 + round_number))


def train(rounds=3):
    torch.manual_seed(10)
    cook, critic = Cook(), Critic()
    of_cook = torch.optim.Adam(cook.parameters(), lr=1e-3, betas=(0.0, 0.9))
    of_critic = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.0, 0.9))
    for n in range(rounds):
        real, noise = recipes(n)
        for _ in range(2):
            made = cook(noise).detach()
            share = torch.linspace(0, 1, len(real)).unsqueeze(1)
            loss = critic(made).mean() - critic(real).mean() + 10 * penalty(critic, real, made, share)
            of_critic.zero_grad()
            loss.backward()
            of_critic.step()
        critic.requires_grad_(False)
        liked = -critic(cook(noise)).mean()
        of_cook.zero_grad()
        liked.backward()
        of_cook.step()
        critic.requires_grad_(True)
    return {
        "cook.mix.weight": cook.mix.weight.grad,
        "cook.out.weight": cook.out.weight.grad,
        "critic.score.weight": critic.score.weight.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
