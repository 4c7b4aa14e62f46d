"""Advantage actor-critic for several ferries that are simulated at once."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class Captain(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.Tanh())
        self.actor, self.critic = nn.Linear(width, 2), nn.Linear(width, 1)

    def forward(self, state):
        h = self.body(state)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class Harbour:
    def __init__(self, ferries=5):
        self.place = torch.linspace(-1, 1, ferries)

    def state(self, k):
        return torch.stack([self.place, self.place.square(), torch.full_like(self.place, 0.1 * k)], dim=1)

    def step(self, actions):
        self.place = self.place + 0.1 * (2 * actions - 1)
        return 1 - self.place.abs()


def returns_of(rewards, gamma=0.9):
    total, found = torch.zeros_like(rewards[0]), []
    for reward in reversed(rewards):
        total = reward + gamma * total
        found.append(total)
    return torch.stack(found[::-1])


def per_ferry(values):
    return values.mean(dim=0)  #!


def over_all(values):
    return values.mean()


def update(captain, optimizer, log_probs, values, entropies, rewards, join):
    advantage = returns_of(rewards) - torch.stack(values)
    actor = -(torch.stack(log_probs) * advantage.detach())
    critic = advantage.square()
    loss = join(actor + 0.5 * critic - 0.01 * torch.stack(entropies))  #~
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(captain.parameters(), 0.5)
    optimizer.step()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(join):
    captain, harbour = settle(Captain()), Harbour()
    optimizer = torch.optim.RMSprop(captain.parameters(), lr=1e-3)
    for crossing in range(2):
        log_probs, values, entropies, rewards = [], [], [], []
        for k in range(4):
            dist, value = captain(harbour.state(k))
            actions = dist.probs.argmax(dim=1)
            log_probs.append(dist.log_prob(actions))
            entropies.append(dist.entropy())
            values.append(value)
            rewards.append(harbour.step(actions))
        update(captain, optimizer, log_probs, values, entropies, rewards, join)
    return {"captain.actor.weight": captain.actor.weight.grad, "captain.critic.weight": captain.critic.weight.grad}


def broken():
    return train(per_ferry)


def fixed():
    return train(over_all)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
