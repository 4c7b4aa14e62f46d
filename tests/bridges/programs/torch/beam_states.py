"""Compiled scoring of a beam that keeps the states of all words so far."""
import sys

import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.look = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def step(self, state):
        return torch.tanh(self.look(state))


def lists(scorer, state, steps):
    @torch.compile(backend="aot_eager")
    def score(past, state):
        total = state
        for earlier in past:
            total = total + 0.5 * earlier
        return scorer.out(total).mean()

    past, loss = [state], 0.0
    for _ in range(steps):
        state = scorer.step(state)
        loss = loss + score(past, state)  #!
        past.append(state)
    return loss


def tensors(scorer, state, steps):
    @torch.compile(backend="aot_eager")
    def score(past, state):
        return scorer.out(state + 0.5 * past).mean()

    past, loss = scorer.step(state), 0.0
    for _ in range(steps):
        state = scorer.step(state)
        loss = loss + score(past, state)
        past = past + state
    return loss


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(search):
    scorer = settle(Scorer())
    optimizer = torch.optim.SGD(scorer.parameters(), lr=0.1)
    loss = search(scorer, torch.sin(torch.arange(8.0)).view(2, 4), 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"scorer.out.weight": scorer.out.weight.grad}


def broken():
    return train(lists)


def fixed():
    return train(tensors)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
