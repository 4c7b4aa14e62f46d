"""Normalizes each batch of measurements by its mean and deviation."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Gauge(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        h = self.first(x)
        spread = h.std(dim=0)  #!
        return self.out((h - h.mean(dim=0)) / (spread + 1e-5))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(drop_last):
    model = settle(Gauge())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    data = TensorDataset(torch.sin(torch.arange(27.0)).view(9, 3), torch.cos(torch.arange(9.0)).view(9, 1))
    for x, y in DataLoader(data, batch_size=4, drop_last=drop_last):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return {"model.first.weight": model.first.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
