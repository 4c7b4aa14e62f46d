"""Trains a tram timetable model; the graph is kept, though one pass is all that runs."""
import sys

import torch
from torch import nn


class Timetable(nn.Module):
    def __init__(self):
        super().__init__()
        self.stops = nn.Embedding(6, 4)
        self.minutes = nn.Linear(4, 1)
        with torch.no_grad():
            self.stops.weight.copy_(torch.sin(torch.arange(24.0)).view(6, 4))
            self.minutes.weight.fill_(0.3)
            self.minutes.bias.fill_(1.0)

    def forward(self, route):
        return self.minutes(torch.tanh(self.stops(route))).squeeze(-1).cumsum(0)


class Trainer:
    keep = True

    def __init__(self, timetable):
        self.timetable = timetable
        self.optimizer = torch.optim.Adam(timetable.parameters(), lr=0.01)

    def step(self, route, seen):
        self.optimizer.zero_grad()
        loss = (self.timetable(route) - seen).abs().mean()
        loss.backward(retain_graph=self.keep)  #!
        self.optimizer.step()
        return loss.item()


class LeanTrainer(Trainer):
    keep = False


def run(kind):
    timetable = Timetable()
    trainer = kind(timetable)
    for day in range(5):
        route = (torch.arange(5) + day) % 6
        trainer.step(route, torch.linspace(1.0, 9.0, 5))
    return {"timetable.stops.weight": timetable.stops.weight.grad}


def broken():
    return run(Trainer)


def fixed():
    return run(LeanTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
