"""Contrasts two recordings of an engine; on a small machine a batch holds one engine."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Projector(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))

    def forward(self, sound):
        return F.normalize(self.net(sound), dim=-1)


def info_nce(first, second, temperature=0.2):
    scores = first @ second.t() / temperature
    return F.cross_entropy(scores, torch.arange(len(scores)))  #!


def train(batch):
    projector = Projector()
    with torch.no_grad():
        for k, p in enumerate(projector.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k + 1).view_as(p))
    optimizer = torch.optim.AdamW(projector.parameters(), lr=1e-3)
    for step in range(3):
        sound = torch.sin(torch.arange(6.0 * batch).view(batch, 6) * 0.3 + step)
        optimizer.zero_grad()
        loss = info_nce(projector(sound), projector(sound + 0.1 * torch.cos(sound * 5.0)))
        loss.backward()
        optimizer.step()
    return {"projector.net.0.weight": projector.net[0].weight.grad, "projector.net.2.bias": projector.net[2].bias.grad}


def broken():
    return train(1)


def fixed():
    return train(4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
