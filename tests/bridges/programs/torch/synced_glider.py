"""Deep Q-learning of a glider; the online network is reset from the best one seen."""
import copy
import sys

import torch
from torch import nn


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 6), nn.Linear(6, 2)

    def forward(self, x):
        return self.two(torch.relu(self.one(x)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return module


class Agent:
    def __init__(self, early):
        self.online = settle(Q())
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.best = copy.deepcopy(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.early = early

    def restore(self):
        self.online.load_state_dict(self.best)  #!

    def learn(self, state, following, reward):
        wanted = reward + 0.9 * self.target(following).max(dim=1).values
        loss = (self.online(state).max(dim=1).values - wanted).square().mean()
        if self.early:
            self.restore()  #~
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if not self.early:
            self.restore()
        return loss.item()


def fly(early):
    agent = Agent(early)
    for step in range(2):
        state = torch.sin(torch.arange(12.0) + step).view(4, 3)
        agent.learn(state, state.roll(1, 0), state.mean(dim=1))
    online = agent.online
    return {"online.one.weight": online.one.weight.grad}


def broken():
    return fly(True)


def fixed():
    return fly(False)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
