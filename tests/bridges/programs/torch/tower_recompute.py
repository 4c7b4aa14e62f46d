"""Recomputes the blocks of a weather tower in backward to save memory."""
import sys
import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width, phase):
        super().__init__()
        self.mix = nn.Linear(width, width)
        with torch.no_grad():
            self.mix.weight.copy_(0.4 * torch.sin(torch.arange(width * width) + phase).view(width, width))
            self.mix.bias.fill_(0.1)

    def forward(self, air):
        return torch.tanh(self.mix(air))  #!


class Tower(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.blocks = nn.ModuleList(Block(4, k) for k in range(2))
        self.out = nn.Linear(4, 1)
        nn.init.constant_(self.out.weight, 0.3)
        nn.init.zeros_(self.out.bias)
        self.reentrant = reentrant

    def forward(self, air):
        for block in self.blocks:
            air = checkpoint(block, air, use_reentrant=self.reentrant)  #~
        return self.out(air)


def forecast(reentrant):
    tower = Tower(reentrant)
    air, rain = torch.cos(torch.arange(20.0)).view(5, 4), torch.linspace(0.0, 1.0, 5)
    optimizer = torch.optim.SGD(tower.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = (tower(air).squeeze(1) - rain).square().mean()
        loss.backward()
        optimizer.step()
    return {"tower.blocks.0.mix.weight": tower.blocks[0].mix.weight.grad, "tower.out.weight": tower.out.weight.grad}


def broken():
    return forecast(True)


def fixed():
    return forecast(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
