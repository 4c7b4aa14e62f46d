"""Two boats patrol a reef: each has an actor, one critic sees both, and its slow twin makes the targets."""
import copy
import sys

import torch
from torch import nn


class Boat(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.rudder = nn.Linear(8, 1)
        nn.init.zeros_(self.rudder.bias)

    def forward(self, view):
        return torch.tanh(self.rudder(torch.relu(self.body(view))))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.join = nn.Linear(10, 16)
        self.value = nn.Linear(16, 1)

    def forward(self, views, actions):
        return self.value(torch.relu(self.join(torch.cat([views.flatten(1), actions], dim=1)))).squeeze(-1)


def patrols(count=8):
    views = torch.sin(torch.arange(count * 8).reshape(count, 2, 4) * 0.37)
    return views, views.flip(0), views.mean(dim=(1, 2)), (torch.arange(count) % 4 == 3).float()


def act(boats, views):
    return torch.cat([boat(views[:, k]) for k, boat in enumerate(boats)], dim=1)


def train(rounds=3, discount=0.9, pace=0.05):
    torch.manual_seed(22)
    boats, critic = nn.ModuleList([Boat(), Boat()]), Critic()
    slow = copy.deepcopy(critic).requires_grad_(False)
    of_boats = torch.optim.Adam(boats.parameters(), lr=1e-3)
    of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
    for _ in range(rounds):
        views, later, reward, done = patrols()
        with torch.no_grad():
            goal = reward + discount * (1 - done) * slow(later, act(boats, later))
        taken = act(boats, views).detach()
        error = nn.functional.smooth_l1_loss(critic(views, taken), goal)
        of_critic.zero_grad()
        error.backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        of_critic.step()
        worth = critic(views, act(boats, views))
        of_boats.zero_grad()
        (-worth).mean().backward()
        of_boats.step()
        of_critic.zero_grad(set_to_none=False)
        with torch.no_grad():
            for old, new in zip(slow.parameters(), critic.parameters()):
                old.lerp_(new, pace)
    views, later, reward, done = patrols()
    (critic(views, act(boats, views).detach()) - reward).square().mean().backward()
    return {"boats.0.body.weight": boats[0].body.weight.grad, "critic.join.weight": critic.join.weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
