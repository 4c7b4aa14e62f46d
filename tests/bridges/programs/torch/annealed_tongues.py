"""Learns codes of spoken words; the weight of the divergence grows from 0 to 1 while training."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Annealing:
    def __init__(self, over):
        self.over = over

    def weight(self, step):
        return min(1.0, step // self.over)


class Smooth(Annealing):
    def weight(self, step):
        return min(1.0, (step + 1) / self.over)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(6, 3)
        self.log_var = nn.Linear(6, 3)
        self.back = nn.Linear(3, 6)

    def forward(self, word):
        mean, log_var = self.mean(word), self.log_var(word)
        return self.back(mean), mean, log_var


def divergence(mean, log_var):
    return -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(dim=-1).mean()


def train(annealing, steps=4):
    words = Words()
    with torch.no_grad():
        for k, p in enumerate(words.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.8 + k + 1).view_as(p))
    optimizer = torch.optim.Adam(words.parameters(), lr=1e-3)
    for step in range(steps):
        word = torch.sin(torch.arange(24.0).view(4, 6) * 0.5 + step)
        again, mean, log_var = words(word)
        fit = F.smooth_l1_loss(again, word)
        loss = fit + annealing.weight(step) * divergence(mean, log_var)  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"words.log_var.weight": words.log_var.weight.grad, "words.mean.weight": words.mean.weight.grad}


def broken():
    return train(Annealing(10))


def fixed():
    return train(Smooth(10))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
