"""A generator of coin profiles against a judge who has become very sure of itself."""
import sys

import torch
from torch import nn


class Forger(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 5))

    def forward(self, seed):
        return self.net(seed)


class Judge(nn.Module):
    def __init__(self, certainty):
        super().__init__()
        self.look = nn.Linear(5, 1)
        self.certainty = certainty

    def forward(self, coin):
        return self.look(coin) - self.certainty


def minimax(logits):
    return torch.log1p(-torch.sigmoid(logits)).mean()  #!


def non_saturating(logits):
    return nn.functional.softplus(-logits).mean()


def play(objective, rounds=3):
    forger, judge = Forger(), Judge(130.0)
    with torch.no_grad():
        for k, p in enumerate([*forger.parameters(), *judge.parameters()]):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.9 + k).view_as(p))
    forging = torch.optim.Adam(forger.parameters(), lr=2e-4, betas=(0.5, 0.999))
    judging = torch.optim.Adam(judge.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for k in range(rounds):
        seed = torch.cos(torch.arange(12.0).view(4, 3) + k)
        real = torch.sin(torch.arange(20.0).view(4, 5) * 0.6 + k)
        judging.zero_grad()
        fake = forger(seed)
        verdict = nn.functional.softplus(-judge(real)).mean() + nn.functional.softplus(judge(fake.detach())).mean()
        verdict.backward()
        judging.step()
        forging.zero_grad()
        objective(judge(fake)).backward()
        forging.step()
    return {"forger.net.0.weight": forger.net[0].weight.grad, "forger.net.2.bias": forger.net[2].bias.grad}


def broken():
    return play(minimax)


def fixed():
    return play(non_saturating)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
