"""Cheeses are graded by a compiled net; after each epoch it is evaluated."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8), nn.SiLU())
        self.head = nn.Linear(8, 3)

    def forward(self, cheese):
        return self.head(self.body(cheese))


class Trainer:
    def __init__(self, grader):
        self.grader = grader
        self.fast = torch.compile(grader, backend="eager", dynamic=False)
        self.optimizer = torch.optim.AdamW(grader.parameters(), lr=1e-3)

    def step(self, cheese, grade):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.fast(cheese), grade)
        loss.backward()
        self.optimizer.step()

    def evaluate(self, cheese, grade):
        with torch.no_grad():
            guess = self.fast(cheese)  #!
        return (guess.argmax(1) == grade).float().mean().item()


class PlainTrainer(Trainer):
    def evaluate(self, cheese, grade):
        with torch.no_grad():
            guess = self.grader(cheese)
        return (guess.argmax(1) == grade).float().mean().item()


def cheeses(count=12):
    data = torch.cos(torch.arange(count * 5.0) * 0.7).view(count, 5)
    return DataLoader(TensorDataset(data, torch.arange(count) % 3), batch_size=6)


def train(kind):
    torch.manual_seed(45)
    grader = Grader()
    trainer = kind(grader)
    shares = []
    for _ in range(2):
        for cheese, grade in cheeses():
            trainer.step(cheese, grade)
        for cheese, grade in cheeses():
            shares.append(trainer.evaluate(cheese, grade))
    return {"grader.head.weight": grader.head.weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(PlainTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
