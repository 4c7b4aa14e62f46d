"""Verifies bells by their sound: cosine margin, with angles."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class AngularMargin(nn.Module):
    def __init__(self, dim, bells, margin=0.2, scale=8.0, eps=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.eye(bells, dim))
        self.margin, self.scale, self.eps = margin, scale, eps

    def forward(self, sound, bell):
        cosine = F.linear(F.normalize(sound), F.normalize(self.weight))
        angle = torch.arccos(cosine.clamp(-1 + self.eps, 1 - self.eps))  #!
        target = F.one_hot(bell, self.weight.shape[0]).bool()
        logits = torch.where(target, torch.cos(angle + self.margin), cosine)
        return F.cross_entropy(self.scale * logits, bell)


def learn(eps):
    torch.manual_seed(0)
    head = AngularMargin(4, 3, eps=eps)
    tone = nn.Parameter(torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.2, 0.9, 0.0, 0.1], [0.1, 0.0, 0.8, 0.3]]))
    optimizer = torch.optim.SGD([tone, *head.parameters()], lr=0.1)
    optimizer.zero_grad()
    loss = head(tone, torch.arange(3))
    loss.backward()
    return {"tone": tone.grad, "head.weight": head.weight.grad}


def broken():
    return learn(0.0)


def fixed():
    return learn(1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
