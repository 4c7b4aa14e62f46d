"""Matches melodies by a contrastive loss over directions; a silent bar is all zeros."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 5, bias=False)
        self.out = nn.Linear(5, 4, bias=False)

    def forward(self, bar):
        return self.out(torch.relu(self.mix(bar)))


def direction(v):
    return v / v.norm(dim=-1, keepdim=True)  #!


def safe_direction(v):
    return F.normalize(v, dim=-1, eps=1e-6)


def info_nce(left, right, temperature=0.2):
    logits = left @ right.T / temperature
    return F.cross_entropy(logits, torch.arange(len(left)))


def bars():
    bar = torch.sin(torch.arange(30) * 0.6).view(5, 6)
    bar[3] = 0.0
    return bar, bar.roll(1, 1) * 0.9


def train(towards):
    torch.manual_seed(4)
    ear = Ear()
    optimizer = torch.optim.Adam(ear.parameters(), lr=1e-3)
    left, right = bars()
    for _ in range(2):
        optimizer.zero_grad()
        loss = info_nce(towards(ear(left)), towards(ear(right)))
        loss.backward()
        optimizer.step()
    return {"ear.mix.weight": ear.mix.weight.grad, "ear.out.weight": ear.out.weight.grad}


def broken():
    return train(direction)


def fixed():
    return train(safe_direction)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
