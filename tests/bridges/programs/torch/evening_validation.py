"""Trains by day and validates in the evening; the second day ends with an error of autograd."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        self.loss = nn.MSELoss()

    def train_epoch(self, loader):
        self.net.train()
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.loss(self.net(x), y)  #!
            loss.backward()
            self.optimizer.step()

    def validate(self, loader):
        self.net.eval()
        torch.set_grad_enabled(False)  #~
        total = 0.0
        for x, y in loader:
            total += self.loss(self.net(x), y).item()
        return total / len(loader)


class RightTrainer(Trainer):
    def validate(self, loader):
        self.net.eval()
        with torch.no_grad():
            return sum(self.loss(self.net(x), y).item() for x, y in loader) / len(loader)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    net = settle(nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 1)))
    data = DataLoader(TensorDataset(torch.sin(torch.arange(16.0)).view(8, 2), torch.cos(torch.arange(8.0)).view(8, 1)), batch_size=4)
    trainer = kind(net)
    try:
        for epoch in range(2):
            trainer.train_epoch(data)
            trainer.validate(data)
    finally:
        torch.set_grad_enabled(True)
    return {"net.0.weight": net[0].weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(RightTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
