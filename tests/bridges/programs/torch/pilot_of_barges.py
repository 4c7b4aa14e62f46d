"""Steering of barges: an actor and a critic that share what they see of the canal."""
import sys

import torch
from torch import nn


class Barge(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def value(self, canal, rudder):
        return self.critic(torch.cat([canal, rudder], dim=1)).squeeze(1)


class Early:
    """Both losses first, then both steps."""

    def __init__(self, barge):
        self.barge = barge
        self.actor = torch.optim.Adam(barge.actor.parameters(), lr=1e-3)
        self.critic = torch.optim.Adam(barge.critic.parameters(), lr=1e-3)

    def critic_loss(self, canal, rudder, reward):
        return (self.barge.value(canal, rudder) - reward).square().mean()

    def actor_loss(self, canal):
        return -self.barge.value(canal, self.barge.actor(canal)).mean()  #~

    def update(self, canal, rudder, reward):
        blame = self.critic_loss(canal, rudder, reward)
        wish = self.actor_loss(canal)
        self.critic.zero_grad()
        blame.backward()
        self.critic.step()  #!
        self.actor.zero_grad()
        wish.backward()
        self.actor.step()


class Late(Early):
    def update(self, canal, rudder, reward):
        blame = self.critic_loss(canal, rudder, reward)
        self.critic.zero_grad()
        blame.backward()
        self.critic.step()
        wish = self.actor_loss(canal)
        self.actor.zero_grad()
        wish.backward()
        self.actor.step()


def learn(kind):
    torch.manual_seed(6)
    barge = Barge()
    agent = kind(barge)
    for trip in range(2):
        canal = torch.sin(torch.arange(24.0) + trip).view(8, 3)
        rudder = torch.cos(torch.arange(8.0) + trip).view(8, 1)
        agent.update(canal, rudder, canal.sum(dim=1) - rudder[:, 0] ** 2)
    return {"barge.actor.0.weight": barge.actor[0].weight.grad}


def broken():
    return learn(Early)


def fixed():
    return learn(Late)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
