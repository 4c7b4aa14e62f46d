"""Predicts the run of salmon; the configuration gives the share of units that dropout is to keep."""
import dataclasses
import sys

import torch
from torch import nn


@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 6
    keep: float = 1.0
    lr: float = 1e-2


class Salmon(nn.Module):
    def __init__(self, config, drop):
        super().__init__()
        self.river = nn.Linear(4, config.width)
        self.drop = nn.Dropout(drop)
        self.count = nn.Linear(config.width, 1)

    def forward(self, river):
        hidden = torch.tanh(self.river(river))
        return self.count(self.drop(hidden)).squeeze(-1)  #!


def train(config, drop):
    salmon = Salmon(config, drop)
    with torch.no_grad():
        for k, p in enumerate(salmon.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    optimizer = torch.optim.Adam(salmon.parameters(), lr=config.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    for step in range(3):
        river = torch.sin(torch.arange(20.0).view(5, 4) * 0.6 + step)
        loss = (salmon(river) - river.sum(dim=1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"salmon.river.weight": salmon.river.weight.grad, "salmon.count.bias": salmon.count.bias.grad}


def broken():
    config = Config()
    return train(config, config.keep)


def fixed():
    config = Config()
    return train(config, 1.0 - config.keep)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
