"""Actor and critic of a robot's gripper, with an optimizer each."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, 8)
        self.value = nn.Linear(8, 1)

    def forward(self, state, action):
        return self.value(torch.tanh(self.hidden(torch.cat([state, action], dim=-1))))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


class Agent:
    def __init__(self):
        self.actor = settle(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh()))
        self.critic = settle(Critic())
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-2)

    def improve_critic(self, loss):
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()  #!

    def improve_actor(self, loss):
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()


def early(agent, state, action, value):
    policy_loss = -agent.critic(state, agent.actor(state)).mean()
    agent.improve_critic(F.mse_loss(agent.critic(state, action), value))  #~
    agent.improve_actor(policy_loss)


def late(agent, state, action, value):
    agent.improve_critic(F.mse_loss(agent.critic(state, action), value))
    agent.improve_actor(-agent.critic(state, agent.actor(state)).mean())


def train(update):
    agent = Agent()
    actor = agent.actor
    for step in range(2):
        state = torch.sin(torch.arange(12.0) + step).view(4, 3)
        action = torch.cos(torch.arange(8.0) + step).view(4, 2)
        update(agent, state, action, torch.ones(4, 1))
    return {"actor.0.weight": actor[0].weight.grad}


def broken():
    return train(early)


def fixed():
    return train(late)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
