"""One epoch of PPO on a crane: the policy is far from the one that gathered the data."""
import sys

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.action = nn.Linear(6, 3)

    def forward(self, state):
        return torch.log_softmax(self.action(torch.tanh(self.body(state))), dim=1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def surrogate(new, old, advantage, clip=0.2):
    ratio = torch.exp(new - old)
    return -torch.clamp(ratio, 1 - clip, 1 + clip).mul(advantage).mean()  #!


def pessimistic(new, old, advantage, clip=0.2):
    ratio = torch.exp(new - old)
    return -torch.min(ratio * advantage, torch.clamp(ratio, 1 - clip, 1 + clip) * advantage).mean()


def train(objective):
    policy = settle(Policy())
    states, actions = torch.sin(torch.arange(32.0)).view(8, 4), torch.arange(8) % 3
    gathered = torch.full((8,), -4.0)
    advantage = -torch.linspace(0.5, 1.0, 8)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    for _ in range(2):
        chosen = policy(states).gather(1, actions[:, None]).squeeze(1)
        loss = objective(chosen, gathered, advantage)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"policy.body.weight": policy.body.weight.grad}


def broken():
    return train(surrogate)


def fixed():
    return train(pessimistic)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
