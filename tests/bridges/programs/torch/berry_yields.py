"""Predicts the yields of four kinds of berries with an uncertainty for each."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Yields(nn.Module):
    def __init__(self, inputs=5, kinds=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 10), nn.LeakyReLU(0.1))
        self.mean = nn.Linear(10, kinds)
        self.log_var = nn.Linear(10, kinds)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.log_var(h)


class GaussianLoss(nn.Module):
    def __init__(self, importance, over):
        super().__init__()
        self.register_buffer("importance", torch.tensor(importance))
        self.over = over

    def forward(self, mean, log_var, truth):
        each = 0.5 * (log_var + (truth - mean).square() * torch.exp(-log_var))
        return (self.importance * each).mean(dim=self.over)  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def train(over):
    model = settle(Yields())
    criterion = GaussianLoss([1.0, 0.5, 0.5, 2.0], over)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    weather = torch.sin(torch.arange(60.0) * 0.3).view(12, 5)
    berries = torch.cos(torch.arange(48.0) * 0.5).view(12, 4)
    for x, y in DataLoader(TensorDataset(weather, berries), batch_size=6):
        optimizer.zero_grad()
        loss = criterion(*model(x), y)
        loss.backward()
        optimizer.step()
    return {"model.mean.weight": model.mean.weight.grad, "model.log_var.bias": model.log_var.bias.grad}


def broken():
    return train(over=0)


def fixed():
    return train(over=(0, 1))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
