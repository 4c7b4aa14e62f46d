"""Predicts which alleys of a village flood; messages go along the gutters for some rounds."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Gutters(nn.Module):
    def __init__(self, width=5, rounds=2):
        super().__init__()
        self.lift = nn.Linear(2, width)
        self.pass_on = nn.ModuleList(nn.Linear(width, width) for _ in range(rounds))
        self.out = nn.Linear(width, 1)

    def degrees(self, edges, count):
        with torch.no_grad():
            return torch.zeros(count).index_add_(0, edges[1], torch.ones(edges.shape[1])).clamp(min=1)

    def receive(self, h, edges, messages):
        return h.index_add_(0, edges[1], messages)  #!

    def forward(self, alleys, edges):
        h = torch.tanh(self.lift(alleys))
        degree = self.degrees(edges, len(alleys))
        for layer in self.pass_on:
            messages = F.elu(layer(h[edges[0]])) / degree[edges[1]].unsqueeze(1)
            h = self.receive(h, edges, messages)
        return self.out(h).squeeze(1)


class CleanGutters(Gutters):
    def receive(self, h, edges, messages):
        return h.index_add(0, edges[1], messages)


def train(kind):
    torch.manual_seed(14)
    net = kind()
    alleys = torch.cos(torch.arange(12.0)).view(6, 2)
    edges = torch.tensor([[0, 1, 2, 3, 4, 1, 5], [1, 2, 3, 4, 5, 0, 0]])
    wet = (torch.arange(6) % 2).float()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(2):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(net(alleys, edges), wet).backward()
        optimizer.step()
    return {"net.lift.weight": net.lift.weight.grad, "net.pass_on.0.weight": net.pass_on[0].weight.grad}


def broken():
    return train(Gutters)


def fixed():
    return train(CleanGutters)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
