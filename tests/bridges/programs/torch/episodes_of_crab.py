"""A crab learns to go sideways: REINFORCE with a running memory of log probabilities."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.see = nn.Linear(3, 6)
        self.act = nn.Linear(6, 2)

    def forward(self, state):
        return Categorical(logits=self.act(torch.tanh(self.see(state))))


class Agent:
    def __init__(self, policy):
        self.policy = policy
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
        self.log_probs, self.rewards = [], []

    def walk(self, episode, steps=4):
        for k in range(steps):
            state = torch.sin(torch.arange(3.0) + k + episode)
            choice = self.policy(state)
            action = torch.tensor(k % 2)
            self.log_probs.append(choice.log_prob(action))  #!
            self.rewards.append(float(action == (state.sum() > 0)))

    def learn(self, steps=4):
        losses = [-p * r for p, r in zip(self.log_probs[-steps:], self.rewards[-steps:])]
        self.optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        self.optimizer.step()


class ForgettingAgent(Agent):
    def learn(self, steps=4):
        super().learn(steps)
        self.log_probs.clear()
        self.rewards.clear()


def train(kind):
    torch.manual_seed(29)
    policy = Policy()
    agent = kind(policy)
    for episode in range(5):
        agent.walk(episode)
        agent.learn()
    return {"policy.act.weight": policy.act.weight.grad}


def broken():
    return train(Agent)


def fixed():
    return train(ForgettingAgent)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
