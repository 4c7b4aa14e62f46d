"""A policy gradient for a skater, with sampled turns."""
import sys

import torch
from torch import nn


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def rollout(actor, steps, guard):
    state, logs, rewards = torch.tensor([0.1, -0.2]), [], []
    for k in range(steps):
        with guard():
            chances = torch.distributions.Categorical(logits=actor(state))  #!
            turn = torch.tensor(k % 3)
            logs.append(chances.log_prob(turn))  #~
        state = torch.stack([state[0] + 0.1 * (turn - 1), state[1] * 0.9])
        rewards.append(1.0 - state.abs().sum())
    return torch.stack(logs), torch.stack(rewards)


def train(guard):
    actor = initialise(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 3)))
    optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
    logs, rewards = rollout(actor, 6, guard)
    returns = rewards.flip(0).cumsum(0).flip(0)
    loss = -(logs * (returns - returns.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"actor.0.weight": actor[0].weight.grad}


def broken():
    return train(torch.no_grad)


def fixed():
    return train(torch.enable_grad)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
