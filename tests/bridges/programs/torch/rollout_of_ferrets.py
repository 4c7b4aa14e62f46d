"""Ferrets search a burrow: an actor and a critic, trained from rollouts that a buffer collects."""
import collections
import sys

import torch
from torch import nn
import torch.nn.functional as F

Step = collections.namedtuple("Step", "state action reward value")


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
        self.critic = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))

    def act(self, state):
        return self.actor(state).argmax(dim=-1)

    def value(self, state):
        return self.critic(state).squeeze(-1)  #!


class Burrow:
    def __init__(self, length=6):
        self.length = length

    def states(self):
        return torch.sin(torch.arange(3.0 * self.length).view(self.length, 3))

    def reward(self, state, action):
        return (state.sum() + action.float()).item()


@torch.no_grad()
def rollout(model, burrow):
    steps = []
    for state in burrow.states():
        action = model.act(state)
        steps.append(Step(state, action, burrow.reward(state, action), model.value(state)))
    return steps


def returns(steps, discount=0.9):
    total, out = 0.0, []
    for step in reversed(steps):
        total = step.reward + discount * total
        out.append(total)
    return torch.tensor(out[::-1])


def values_kept(model, steps):
    return torch.stack([step.value for step in steps])


def values_again(model, steps):
    return model.value(torch.stack([step.state for step in steps]))


def update(model, optimizer, steps, values_of):
    gain = returns(steps)
    values = values_of(model, steps)
    states = torch.stack([step.state for step in steps])
    actions = torch.stack([step.action for step in steps])
    chosen = F.log_softmax(model.actor(states), dim=-1).gather(1, actions.unsqueeze(1)).squeeze(1)
    advantage = (gain - values).detach()
    loss = -(chosen * advantage).mean() + 0.5 * F.mse_loss(values, gain)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) + k).view_as(p))
    return module


def train(values_of):
    model = initialise(ActorCritic())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(2):
        update(model, optimizer, rollout(model, Burrow()), values_of)
    return {"model.critic.0.weight": model.critic[0].weight.grad, "model.actor.0.weight": model.actor[0].weight.grad}


def broken():
    return train(values_kept)


def fixed():
    return train(values_again)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
