"""Training of a wool grader is resumed from the best state; the optimizer was made before."""
import copy
import sys

import torch
from torch import nn


class Grader(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, width), nn.LeakyReLU(), nn.Linear(width, 2))

    def forward(self, wool):
        return self.layers(wool)


def built_from(state):
    grader = Grader()  #~
    grader.load_state_dict(state)
    return grader


class Trainer:
    def __init__(self, grader):
        self.grader = grader
        self.best = copy.deepcopy(grader.state_dict())
        self.optimizer = torch.optim.AdamW(grader.parameters(), lr=1e-2)

    def resume(self, state):
        self.grader = built_from(state)  #!

    def step(self, wool, grades):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.grader(wool), grades)
        loss.backward()
        self.optimizer.step()


class SteadyTrainer(Trainer):
    def resume(self, state):
        self.grader.load_state_dict(state)


def train(kind):
    torch.manual_seed(0)
    grader = Grader()
    trainer = kind(grader)
    wool, grades = torch.sin(torch.arange(24.0)).view(8, 3), torch.arange(8) % 2
    trainer.resume(trainer.best)
    for _ in range(3):
        trainer.step(wool, grades)
    return {"grader.layers.0.weight": grader.layers[0].weight.grad}


def broken():
    return train(Trainer)


def fixed():
    return train(SteadyTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
