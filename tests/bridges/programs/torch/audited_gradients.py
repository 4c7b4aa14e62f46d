"""Trains a water-quality model and audits the gradient of each layer through tensor hooks."""
import sys
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Audit:
    limit: float
    seen: dict = field(default_factory=dict)

    def watch(self, name):
        def hook(grad):
            self.seen[name] = float(grad.norm())
            return torch.where(grad.abs() > self.limit, grad.clamp(-self.limit, self.limit), torch.zeros_like(grad))

        return hook


@dataclass
class GentleAudit(Audit):
    def watch(self, name):
        def hook(grad):
            self.seen[name] = float(grad.norm())
            return grad.clamp(-self.limit, self.limit)

        return hook


class Quality(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 6)
        self.out = nn.Linear(6, 1)

    def forward(self, sample):
        return self.out(torch.tanh(self.mix(sample))).squeeze(-1)


def train(kind):
    torch.manual_seed(0)
    quality, audit = Quality(), kind(limit=5.0)
    quality.mix.weight.register_hook(audit.watch("mix"))  #!
    optimizer = torch.optim.Adam(quality.parameters(), lr=1e-3)
    for week in range(3):
        sample = torch.sin(torch.arange(20.0) + week).view(5, 4)
        optimizer.zero_grad()
        loss = (quality(sample) - sample.mean(1)).square().mean()
        loss.backward()
        optimizer.step()
    return {"quality.mix.weight": quality.mix.weight.grad, "quality.out.weight": quality.out.weight.grad}


def broken():
    return train(Audit)


def fixed():
    return train(GentleAudit)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
