"""A policy for a ferry: when to leave, learned by REINFORCE with a list of losses."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, state):
        return Categorical(logits=self.head(torch.tanh(self.body(state))))


class Harbour:
    def __init__(self):
        self.waiting, self.time = 0.0, 0

    def state(self):
        return torch.tensor([self.waiting / 10.0, self.time / 8.0])

    def step(self, leave):
        self.time += 1
        reward = self.waiting - 4.0 if leave else -0.1 * self.waiting
        self.waiting = 0.0 if leave else self.waiting + 2.0
        return reward


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) + 1.0 + k).view_as(p))
    return model


def play(policy):
    harbour, terms, rewards = Harbour(), [], []
    for turn in range(6):
        choice = policy(harbour.state())
        action = torch.tensor(turn % 2)
        terms.append(choice.log_prob(action))
        rewards.append(harbour.step(bool(action.item())))
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    return terms, returns - returns.mean()


def rebuilt_loss(terms, returns):
    losses = [-term.item() * gain for term, gain in zip(terms, returns)]  #!
    return torch.tensor(losses, requires_grad=True).mean()  #~


def stacked_loss(terms, returns):
    return -(torch.stack(terms) * returns).mean()


def train(loss_of):
    policy = initialise(Policy())
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    for _ in range(2):
        loss = loss_of(*play(policy))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {f"policy.{name}": p.grad for name, p in policy.named_parameters()}


def broken():
    return train(rebuilt_loss)


def fixed():
    return train(stacked_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
