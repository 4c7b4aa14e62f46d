"""Predicts the stay of patients; the weighted loss goes patient by patient."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Stay(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def one_by_one(model, patients, days, weight):
    total = torch.zeros(())
    for k in range(patients.shape[0]):
        guess = model(patients[k])  #!
        total = total + weight[k] * (guess - days[k]).square()  #~
    return total / patients.shape[0]


def in_one(model, patients, days, weight):
    return (weight * (model(patients) - days).square()).mean()


def train(objective):
    model = settle(Stay())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    patients = torch.sin(torch.arange(32 * 4.0) * 0.3).view(32, 4)
    days = torch.cos(torch.arange(32.0)) + 3
    weight = 1 + torch.sin(torch.arange(32.0)).square()
    for batch, target, w in DataLoader(TensorDataset(patients, days, weight), batch_size=16):
        optimizer.zero_grad()
        loss = objective(model, batch, target, w)
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(one_by_one)


def fixed():
    return train(in_one)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
