"""Several epochs of PPO over one batch of flights."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 6)
        self.head = nn.Linear(6, 2)

    def forward(self, state):
        return Categorical(logits=self.head(torch.tanh(self.body(state))))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def update(policy, optimizer, states, actions, old, advantage, clip):
    dist = policy(states)
    ratio = torch.exp(dist.log_prob(actions) - old)
    clipped = torch.clamp(ratio, 1 - clip, 1 + clip)  #!
    loss = -torch.min(ratio * advantage, clipped * advantage).mean()  #~
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()
    return loss.item()


def fly(shift):
    policy = settle(Policy())
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    states = torch.sin(torch.arange(18.0)).view(6, 3)
    actions = torch.tensor([0, 1, 0, 1, 1, 0])
    with torch.no_grad():
        old = policy(states).log_prob(actions) - shift
    advantage = torch.tensor([1.0, 0.5, 2.0, 1.5, 0.7, 1.2])
    for _ in range(2):
        update(policy, optimizer, states, actions, old, advantage, 0.2)
    return {"policy.body.weight": policy.body.weight.grad, "policy.head.bias": policy.head.bias.grad}


def broken():
    return fly(0.9)


def fixed():
    return fly(0.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
