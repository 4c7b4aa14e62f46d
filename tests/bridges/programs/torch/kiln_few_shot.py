"""Learns a start for kilns from which two steps of descent on a few firings suffice."""
import copy
import sys

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call


class KilnNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 6), nn.Tanh())
        self.temperature = nn.Linear(6, 1)

    def forward(self, firing):
        return self.temperature(self.body(firing)).squeeze(-1)


class Firings:
    """One kiln: a few firings to adapt to, others to judge by."""

    def __init__(self, kiln):
        self.kiln = kiln

    def draw(self, count, phase):
        firing = torch.sin(torch.arange(2.0 * count).view(count, 2) * 0.7 + phase + self.kiln)
        return firing, firing.sum(dim=1) * (1.0 + 0.3 * self.kiln)


def adapt_copy(start, task, rate=0.1, steps=2):
    learner = copy.deepcopy(start)  #!
    inner = torch.optim.SGD(learner.parameters(), lr=rate)
    for _ in range(steps):
        firing, heat = task.draw(3, 0.0)
        inner.zero_grad()
        F.mse_loss(learner(firing), heat).backward()
        inner.step()
    return learner


def adapt_weights(start, task, rate=0.1, steps=2):
    weights = dict(start.named_parameters())
    for _ in range(steps):
        firing, heat = task.draw(3, 0.0)
        loss = F.mse_loss(functional_call(start, weights, (firing,)), heat)
        slopes = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
        weights = {name: w - rate * g for (name, w), g in zip(weights.items(), slopes)}
    return lambda firing: functional_call(start, weights, (firing,))


def meta_train(adapt, rounds=2):
    start = KilnNet()
    with torch.no_grad():
        for k, p in enumerate(start.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) + k).view_as(p))
    outer = torch.optim.Adam(start.parameters(), lr=1e-2)
    for _ in range(rounds):
        outer.zero_grad()
        for kiln in range(3):
            task = Firings(kiln)
            learner = adapt(start, task)
            firing, heat = task.draw(5, 2.0)
            (F.mse_loss(learner(firing), heat) / 3).backward()
        outer.step()
    return {"start.body.0.weight": start.body[0].weight.grad, "start.temperature.weight": start.temperature.weight.grad}


def broken():
    return meta_train(adapt_copy)


def fixed():
    return meta_train(adapt_weights)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
