"""A glider that learns in imagination: the actor's actions run through a world model, whose value they raise."""
import sys

import torch
from torch import nn
from torch.distributions import Normal


class World(nn.Module):
    def __init__(self):
        super().__init__()
        self.dynamics = nn.Linear(4, 3)
        self.reward = nn.Linear(3, 1)

    def step(self, state, action):
        following = torch.tanh(self.dynamics(torch.cat([state, action], -1)))
        return following, self.reward(following).squeeze(-1)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.ELU())
        self.mean = nn.Linear(8, 1)
        self.log_std = nn.Linear(8, 1)

    def forward(self, state):
        h = self.body(state)
        return Normal(self.mean(h), self.log_std(h).clamp(-3, 1).exp())


def act(policy):
    return policy.sample()  #!


def act_smoothly(policy):
    return policy.rsample()


def imagine(world, actor, value, state, choose, horizon=3, gamma=0.95):
    total, discount = torch.zeros(len(state)), 1.0
    for _ in range(horizon):
        action = choose(actor(state))  #~
        state, reward = world.step(state, action)
        total, discount = total + discount * reward, discount * gamma
    return total + discount * value(state).squeeze(-1)


def learn(choose):
    torch.manual_seed(31)
    world, actor, value = World(), Actor(), nn.Linear(3, 1)
    optimizer = torch.optim.Adam([*actor.parameters(), *value.parameters()], lr=1e-3)
    state = torch.sin(torch.arange(18.0)).view(6, 3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = -imagine(world, actor, value, state, choose).mean()
        loss.backward()
        optimizer.step()
    return {"actor.mean.weight": actor.mean.weight.grad, "value.weight": value.weight.grad}


def broken():
    return learn(act)


def fixed():
    return learn(act_smoothly)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
