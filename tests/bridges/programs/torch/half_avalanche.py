"""Estimates the reach of avalanches in mixed precision."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Reach(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.slope = nn.Linear(5, width)
        self.mass = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = F.relu(self.slope(x))
        h = F.relu(self.mass(h))  #!
        return self.out(h).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_((0.6 + 0.3 * torch.sin(torch.arange(p.numel()) * 0.9 + k)).view_as(p))
    return module


def hillsides(unit):
    k = torch.arange(12.0)
    volume = (400 + 250 * torch.sin(k)) * unit
    steep = torch.cos(torch.arange(48.0) * 0.4).view(12, 4)
    return TensorDataset(torch.cat([volume[:, None], steep], dim=1), 1 + 0.5 * torch.sin(k))


def train(unit):
    model = settle(Reach())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for x, reach in DataLoader(hillsides(unit), batch_size=6):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            guess = model(x)
        loss = F.smooth_l1_loss(guess.float(), reach)
        loss.backward()
        optimizer.step()
    return {"model.mass.weight": model.mass.weight.grad}


def broken():
    return train(unit=100.0)


def fixed():
    return train(unit=0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
