"""Soft actor-critic for a gripper on a pendulum; the actor's actions go through two critics."""
import collections
import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

Batch = collections.namedtuple("Batch", "state action reward following")


class Actor(nn.Module):
    def __init__(self, state=3, action=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(state, 8), nn.ReLU())
        self.mean, self.spread = nn.Linear(8, action), nn.Linear(8, action)

    def forward(self, state):
        x = self.body(state)
        return Normal(self.mean(x), self.spread(x).clamp(-3, 1).exp())


class Critic(nn.Module):
    def __init__(self, state=3, action=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(state + action, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action], 1)).squeeze(1)


class Agent:
    def __init__(self, actor):
        self.actor = actor
        self.critics = nn.ModuleList([Critic(), Critic()])
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.acts = torch.optim.Adam(actor.parameters(), lr=3e-3)
        self.judges = torch.optim.Adam(self.critics.parameters(), lr=3e-3)

    def choose(self, state):
        dist = self.actor(state)
        raw = dist.sample()  #!
        squashed = torch.tanh(raw)
        return squashed, (dist.log_prob(raw) - torch.log(1 - squashed**2 + 1e-6)).sum(1)

    def judge(self, batch):
        with torch.no_grad():
            action, chance = self.choose(batch.following)
            best = torch.minimum(*(t(batch.following, action) for t in self.targets))
            goal = batch.reward + 0.99 * (best - self.log_alpha.exp() * chance)
        loss = sum(F.mse_loss(critic(batch.state, batch.action), goal) for critic in self.critics)
        self.judges.zero_grad()
        loss.backward()
        self.judges.step()

    def act(self, batch):
        action, _ = self.choose(batch.state)  #~
        value = torch.minimum(*(critic(batch.state, action) for critic in self.critics))
        self.acts.zero_grad()
        (-value).mean().backward()
        self.acts.step()

    @torch.no_grad()
    def follow(self, rate=0.05):
        for old, new in zip(self.targets.parameters(), self.critics.parameters()):
            old.lerp_(new, rate)


class PathAgent(Agent):
    def choose(self, state):
        dist = self.actor(state)
        raw = dist.rsample()
        squashed = torch.tanh(raw)
        return squashed, (dist.log_prob(raw) - torch.log(1 - squashed**2 + 1e-6)).sum(1)


def batches():
    for k in range(3):
        wave = torch.sin(torch.arange(54.0) * 0.4 + k).view(6, 9)
        yield Batch(wave[:, :3], wave[:, 3:5], wave[:, 5], wave[:, 6:])


def learn(kind):
    torch.manual_seed(5)
    actor = Actor()
    agent = kind(actor)
    for batch in batches():
        agent.judge(batch)
        agent.act(batch)
        agent.follow()
    return {"actor.mean.weight": actor.mean.weight.grad, "agent.critics.0.net.0.weight": agent.critics[0].net[0].weight.grad}


def broken():
    return learn(Agent)


def fixed():
    return learn(PathAgent)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
