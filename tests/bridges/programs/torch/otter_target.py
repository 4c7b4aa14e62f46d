"""Q-learning for an otter with a slowly following target network."""
import copy
import sys

import torch
from torch import nn


class Otter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 4))
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))

    def forward(self, state):
        return self.body(state)


class Memory:
    def __init__(self):
        self.items = []

    def add(self, state, action, fish, following):
        self.items.append((state, action, fish, following))

    def sample(self, k):
        states, actions, fish, following = zip(*self.items[k:k + 6])
        return torch.stack(states), torch.tensor(actions), torch.tensor(fish), torch.stack(following)


def follow(target, model, share=0.05):
    with torch.no_grad():
        for old, new in zip(target.parameters(), model.parameters()):
            old.mul_(1 - share).add_(share * new)


def act(model, state):
    with torch.no_grad():
        return int(model(state).argmax())


def dive():
    model = Otter()
    target = copy.deepcopy(model).requires_grad_(False)
    memory, state = Memory(), torch.tensor([0.1, 0.4, -0.2])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(12):
        action = act(model, state)
        following = torch.sin(state * (1.3 + action))
        memory.add(state, action, float(following.sum()), following)
        state = following
    for k in range(4):
        states, actions, fish, following = memory.sample(k)
        with torch.no_grad():
            goal = fish + 0.9 * target(following).amax(1)
        value = model(states).gather(1, actions.unsqueeze(1)).squeeze(1)
        optimizer.zero_grad()
        nn.functional.smooth_l1_loss(value, goal).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        follow(target, model)
    return {"model.body.0.weight": model.body[0].weight.grad, "model.body.2.weight": model.body[2].weight.grad}


def broken():
    return dive()


if __name__ == "__main__":
    print(broken())
