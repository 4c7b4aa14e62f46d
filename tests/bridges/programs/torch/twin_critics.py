"""Soft actor-critic for a greenhouse window, with two critics against overestimation."""
import sys

import torch
from torch import nn


class Twin(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        net = lambda: nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 1))
        self.q1 = net()
        self.q2 = net()  #~

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.q1(sa), self.q1(sa)


class RealTwin(Twin):
    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.q1(sa), self.q2(sa)


class SAC:
    def __init__(self, twin, gamma=0.97, tau=0.01):
        self.actor = nn.Linear(3, 1)
        self.critic, self.target = twin(), twin()
        self.target.load_state_dict(self.critic.state_dict())
        for p in self.target.parameters():
            p.requires_grad = False
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.gamma, self.tau = gamma, tau
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), 3e-4)

    def backup(self, reward, following):
        with torch.no_grad():
            action = torch.tanh(self.actor(following))
            q = torch.min(*self.target(following, action))
            return reward + self.gamma * (q + self.log_alpha.exp() * 0.1)

    def update(self, state, action, reward, following):
        y = self.backup(reward, following)
        loss = sum((q - y).pow(2).mean() for q in self.critic(state, action))  #!
        self.critic_opt.zero_grad()
        loss.backward()
        self.critic_opt.step()
        for slow, fast in zip(self.target.parameters(), self.critic.parameters()):
            slow.data.mul_(1 - self.tau).add_(self.tau * fast.data)


def learn(twin):
    torch.manual_seed(0)
    agent = SAC(twin)
    critic = agent.critic
    for k in range(2):
        state = torch.sin(torch.arange(15.0) + k).view(5, 3)
        agent.update(state, state[:, :1].tanh(), state.sum(1, keepdim=True), state.roll(1, 0))
    return {"critic.q2.0.weight": critic.q2[0].weight.grad, "critic.q1.0.weight": critic.q1[0].weight.grad}


def broken():
    return learn(Twin)


def fixed():
    return learn(RealTwin)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
