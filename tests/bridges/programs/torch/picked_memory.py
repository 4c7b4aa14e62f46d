"""Answers questions from a small memory; the temperature makes the choice nearly hard."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Memory(nn.Module):
    def __init__(self, temperature, slots=5, dim=4):
        super().__init__()
        self.ask = nn.Linear(3, dim)
        self.keys = nn.Parameter(torch.zeros(slots, dim))
        self.values = nn.Parameter(torch.zeros(slots, 2))
        self.temperature = temperature

    def address(self, question):
        scores = self.ask(question) @ self.keys.T
        return F.softmax(scores / self.temperature, dim=-1)  #!

    def forward(self, question):
        return self.address(question) @ self.values


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 1.7 + k).view_as(p))
    return module


def train(temperature):
    model = settle(Memory(temperature))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    questions = torch.cos(torch.arange(24.0) * 0.9).view(8, 3)
    answers = torch.stack([torch.linspace(-1, 1, 8), torch.sin(torch.arange(8.0))], dim=1)
    used = torch.zeros(5)
    for epoch in range(3):
        loss = F.mse_loss(model(questions), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            used += model.address(questions).sum(dim=0)
    return {
        "model.ask.weight": model.ask.weight.grad,
        "model.keys": model.keys.grad,
        "model.values": model.values.grad,
    }


def broken():
    return train(1e-4)


def fixed():
    return train(0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
