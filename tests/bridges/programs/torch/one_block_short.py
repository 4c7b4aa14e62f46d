"""A residual network for vibrations of bridges, with a block for each scale."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(width, width)  #!

    def forward(self, x):
        return x + F.silu(self.mix(self.norm(x)))


class Vibrations(nn.Module):
    def __init__(self, width=4, depth=3):
        super().__init__()
        self.embed = nn.Linear(6, width)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(Block(width))  #~
        self.pool = nn.Linear(width, 1)

    def scales(self):
        return range(len(self.blocks) - 1)

    def forward(self, record):
        x = self.embed(record)
        skips = []
        for i in self.scales():
            x = self.blocks[i](x)
            skips.append(x)
        return self.pool(torch.stack(skips).mean(dim=0)).squeeze(-1)


class WholeVibrations(Vibrations):
    def scales(self):
        return range(len(self.blocks))


def train(kind):
    model = kind()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k + 1).view_as(p))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(2):
        record = torch.sin(torch.arange(30.0).view(5, 6) * 0.5 + step)
        loss = F.huber_loss(model(record), record.mean(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.blocks.2.mix.weight": model.blocks[2].mix.weight.grad,
        "model.blocks.1.mix.weight": model.blocks[1].mix.weight.grad,
    }


def broken():
    return train(Vibrations)


def fixed():
    return train(WholeVibrations)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
