"""Predicts demand and waste of a shop; wrapped for several processes later, which stops at the first unused weight."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tasks(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, width), nn.BatchNorm1d(width), nn.ReLU())
        self.heads = nn.ModuleDict({
            "demand": nn.Linear(width, 1),
            "waste": nn.Linear(width, 1),  #!
        })

    def wanted(self):
        return ["demand"]

    def forward(self, x):
        features = self.trunk(x)
        return {name: self.heads[name](features).squeeze(1) for name in self.wanted()}


class RightTasks(Tasks):
    def wanted(self):
        return ["demand", "waste"]


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    data = TensorDataset(torch.sin(torch.arange(32.0)).view(8, 4), torch.cos(torch.arange(8.0)), torch.sin(torch.arange(8.0)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        for x, demand, waste in DataLoader(data, batch_size=4):
            optimizer.zero_grad(set_to_none=True)
            targets = {"demand": demand, "waste": waste}
            loss = sum(nn.functional.mse_loss(got, targets[name]) for name, got in model(x).items())
            loss.backward()
            optimizer.step()
    return {"model.heads.waste.weight": model.heads["waste"].weight.grad, "model.heads.demand.weight": model.heads["demand"].weight.grad}


def broken():
    return train(Tasks)


def fixed():
    return train(RightTasks)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
