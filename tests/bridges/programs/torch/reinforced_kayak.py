"""REINFORCE for a kayak on a river, with returns over whole descents."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class River:
    """Drift to the left, stones at the banks."""

    def reset(self):
        self.x, self.k = 0.1, 0
        return self.state()

    def state(self):
        return torch.tensor([self.x, 0.1 * self.k])

    def step(self, action):
        self.x += 0.2 * (action - 1) - 0.05
        self.k += 1
        return self.state(), 1.0 - abs(self.x), self.k == 6


class Paddler(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Linear(2, width)
        self.action = nn.Linear(width, 3)
        self.log_probs, self.rewards = [], []

    def forward(self, state):
        return Categorical(logits=self.action(torch.relu(self.body(state))))

    def act(self, state, k):
        dist = self(state)
        action = torch.tensor(k % 3)
        self.log_probs.append(dist.log_prob(action))
        return action.item()


def discounted(rewards, gamma=0.95):
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    return (returns - returns.mean()) / (returns.std() + 1e-6)


def as_tensor_loss(terms):
    return torch.tensor(terms, requires_grad=True).sum()  #!


def stacked_loss(terms):
    return torch.stack(terms).sum()


def finish(policy, optimizer, join):
    returns = discounted(policy.rewards)
    terms = [-log_prob * value for log_prob, value in zip(policy.log_probs, returns)]
    loss = join(terms)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    policy.log_probs.clear()
    policy.rewards.clear()
    return loss.item()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(join):
    policy, river = settle(Paddler()), River()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for descent in range(3):
        state, done, k = river.reset(), False, descent
        while not done:
            state, reward, done = river.step(policy.act(state, k))
            policy.rewards.append(reward)
            k += 2
        finish(policy, optimizer, join)
    return {"policy.action.weight": policy.action.weight.grad, "policy.body.weight": policy.body.weight.grad}


def broken():
    return train(as_tensor_loss)


def fixed():
    return train(stacked_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
