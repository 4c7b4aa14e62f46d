"""Ranks boats by pairs of races: one logistic loss a pair, averaged."""
import sys

import torch
from torch import nn
import torch.nn.functional as F

RACES = [(0, 1), (1, 2), (0, 3), (2, 3), (4, 1)]


class Ratings(nn.Module):
    def __init__(self, boats=5):
        super().__init__()
        self.skill = nn.Embedding(boats, 1)
        self.spread = nn.Parameter(torch.tensor(1.5))

    def forward(self, winner, loser):
        gap = self.skill(torch.tensor(winner)) - self.skill(torch.tensor(loser))
        return F.softplus(-gap / self.spread).squeeze()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.add_(0.2 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def listed(losses):
    return torch.tensor(losses).mean()  #!


def stacked(losses):
    return torch.stack(losses).mean()


class Trainer:
    def __init__(self, model, average):
        self.model, self.average = model, average
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=1, gamma=0.5)

    def epoch(self):
        losses = [self.model(winner, loser) for winner, loser in RACES]
        loss = self.average(losses)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        return loss.item()


def train(average):
    model = Ratings()
    with torch.no_grad():
        model.skill.weight.copy_(torch.sin(torch.arange(5.0)).view(5, 1))
    trainer = Trainer(settle(model), average)
    for _ in range(2):
        trainer.epoch()
    return {"model.skill.weight": model.skill.weight.grad, "model.spread": model.spread.grad}


def broken():
    return train(listed)


def fixed():
    return train(stacked)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
