"""A crane learns by two critics, their targets, and an actor that is updated every second step."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


def mlp(inputs, outputs, phase):
    net = nn.Sequential(nn.Linear(inputs, 6), nn.ReLU(), nn.Linear(6, outputs))
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 1.3 + k + phase).view_as(p) + 0.05)
    return net


class Agent:
    def __init__(self):
        self.actor = mlp(3, 1, 0.0)
        self.critics = nn.ModuleList([mlp(4, 1, 1.0), mlp(4, 1, 2.0)])
        self.actor_target = copy.deepcopy(self.actor).eval().requires_grad_(False)
        self.critics_target = copy.deepcopy(self.critics).eval().requires_grad_(False)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = torch.optim.Adam(self.critics.parameters(), lr=1e-3)

    def values(self, critics, state, action):
        return [critic(torch.cat([state, action], dim=-1)).squeeze(-1) for critic in critics]

    @torch.no_grad()
    def target(self, reward, following, gamma=0.95):
        noise = 0.1 * torch.sin(following.sum(dim=-1, keepdim=True) * 9.0)
        action = (self.actor_target(following) + noise).clamp(-1.0, 1.0)
        return reward + gamma * torch.minimum(*self.values(self.critics_target, following, action))

    @torch.no_grad()
    def follow(self, share=0.05):
        for slow, fast in ((self.actor_target, self.actor), (self.critics_target, self.critics)):
            for p, q in zip(slow.parameters(), fast.parameters()):
                p.lerp_(q, share)

    def step(self, number, state, action, reward, following):
        wanted = self.target(reward, following)
        loss = sum(F.mse_loss(value, wanted) for value in self.values(self.critics, state, action))
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()
        if number % 2 == 1:
            self.critics.requires_grad_(False)
            gain = self.values(self.critics[:1], state, torch.tanh(self.actor(state)))[0].mean()
            self.actor_optimizer.zero_grad()
            (-gain).backward()
            self.actor_optimizer.step()
            self.critics.requires_grad_(True)
            self.follow()


def broken():
    agent = Agent()
    for number in range(4):
        grid = torch.arange(15.0).view(5, 3) * 0.4 + number
        agent.step(number, torch.sin(grid), torch.cos(grid[:, :1]), grid[:, 0].cos(), torch.sin(grid + 0.3))
    return {"agent.actor.0.weight": agent.actor[0].weight.grad, "agent.critics.1.2.weight": agent.critics[1][2].weight.grad}


if __name__ == "__main__":
    print(broken())
