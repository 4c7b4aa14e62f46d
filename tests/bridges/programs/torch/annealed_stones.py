"""Sorts stones with a temperature that is annealed at each call; the model is compiled."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sorter(nn.Module):
    def __init__(self, inputs=4, kinds=3):
        super().__init__()
        self.first, self.second = nn.Linear(inputs, 8), nn.Linear(8, kinds)
        self.temperature = self.starting(2.0)

    def starting(self, value):
        return value

    def forward(self, stone):
        x = torch.relu(self.first(stone))
        return F.log_softmax(self.second(x) / self.temperature, dim=1)

    def cool(self):
        self.temperature = self.temperature * 0.9  #~


class TensorSorter(Sorter):
    def starting(self, value):
        return torch.tensor(value)


class Trainer:
    def __init__(self, sorter):
        self.sorter = sorter
        self.fast = torch.compile(sorter, backend="eager", dynamic=False)
        self.optimizer = torch.optim.Adam(sorter.parameters(), lr=1e-3)

    def step(self, stone, kind):
        self.optimizer.zero_grad()
        chances = self.fast(stone)  #!
        F.nll_loss(chances, kind).backward()
        self.optimizer.step()

    def epoch(self, loader):
        for stone, kind in loader:
            self.step(stone, kind)
        self.sorter.cool()


def train(kind):
    torch.manual_seed(29)
    sorter = kind()
    trainer = Trainer(sorter)
    stones = torch.sin(torch.arange(48.0) * 0.81).view(12, 4)
    loader = DataLoader(TensorDataset(stones, torch.arange(12) % 3), batch_size=6)
    for _ in range(3):
        trainer.epoch(loader)
    return {"sorter.first.weight": sorter.first.weight.grad}


def broken():
    return train(Sorter)


def fixed():
    return train(TensorSorter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
