"""A soft actor for a sluice: actions are shares between closed and open, by a Beta distribution."""
import sys

import torch
from torch import nn
from torch.distributions import Beta


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.ELU())
        self.shape = nn.Linear(8, 2)

    def forward(self, state):
        alpha, beta = nn.functional.softplus(self.shape(self.body(state))).add(1).unbind(-1)
        return Beta(alpha, beta)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ELU(), nn.Linear(8, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action[:, None]], dim=1)).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def drawn(distribution):
    return distribution.sample()  #!


def through(distribution):
    return distribution.rsample()


def improve(draw):
    torch.manual_seed(4)
    actor, critic = settle(Actor()), settle(Critic())
    for p in critic.parameters():
        p.requires_grad_(False)
    mood = nn.Parameter(torch.tensor(0.1))
    optimizer = torch.optim.Adam([*actor.parameters(), mood], lr=3e-4)
    for step in range(2):
        state = torch.sin(torch.arange(24.0) + step).view(8, 3)
        action = draw(actor(state))
        loss = (mood.exp() * action - critic(state, action)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"actor.shape.weight": actor.shape.weight.grad, "mood": mood.grad}


def broken():
    return improve(drawn)


def fixed():
    return improve(through)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
