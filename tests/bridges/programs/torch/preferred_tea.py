"""Learns which of two teas a guest prefers from the difference of their scores."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Taste(nn.Module):
    def __init__(self, inputs=5, width=6):
        super().__init__()
        self.hidden = nn.Linear(inputs, width)
        self.score = nn.Linear(width, 1)

    def forward(self, tea):
        return self.score(torch.sigmoid(self.hidden(tea))).squeeze(-1)


def margin(better, worse):
    return better - worse  #!


def pair_loss(model, first, second, wins):
    difference = margin(model(first), model(second))
    return F.soft_margin_loss(difference, wins)


def pair_and_level_loss(model, first, second, wins):
    better, worse = model(first), model(second)
    level = 0.1 * (better + worse).square().mean()
    return F.soft_margin_loss(margin(better, worse), wins) + level


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.8 * torch.cos(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train(criterion):
    model = settle(Taste())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    teas = torch.sin(torch.arange(160.0) * 0.4).view(2, 16, 5)
    wins = 1.0 - 2.0 * (torch.arange(16) % 3 == 0).float()
    for epoch in range(2):
        for first, second, won in DataLoader(TensorDataset(teas[0], teas[1], wins), batch_size=8):
            loss = criterion(model, first, second, won)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"model.score.bias": model.score.bias.grad, "model.score.weight": model.score.weight.grad}


def broken():
    return train(pair_loss)


def fixed():
    return train(pair_and_level_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
