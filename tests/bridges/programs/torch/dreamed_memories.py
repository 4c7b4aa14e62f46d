"""A robot keeps what it felt in a replay memory and learns from mixed old and new moments."""
import sys
from collections import deque

import torch
from torch import nn


class Robot(nn.Module):
    def __init__(self):
        super().__init__()
        self.feel = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
        self.predict = nn.Linear(6, 4)

    def forward(self, seen):
        felt = self.feel(seen)
        return self.predict(felt), felt


class Memory:
    def __init__(self, size, bare):
        self.moments, self.bare = deque(maxlen=size), bare

    def add(self, felt, following):
        self.moments.append((felt.detach() if self.bare else felt, following))  #!

    def mean_surprise(self):
        with torch.no_grad():
            return sum((felt.mean() - following.mean()).abs() for felt, following in self.moments) / len(self.moments)


def live(bare, steps=5):
    torch.manual_seed(0)
    robot, memory = Robot(), Memory(100, bare)
    optimizer = torch.optim.Adam(robot.parameters(), lr=1e-3)
    for step in range(steps):
        seen = torch.sin(torch.arange(12.0) + step).view(3, 4)
        guess, felt = robot(seen)
        loss = (guess - seen.roll(1, 0)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory.add(felt, seen)
    print(float(memory.mean_surprise()))
    return {"robot.feel.0.weight": robot.feel[0].weight.grad}


def broken():
    return live(bare=False)


def fixed():
    return live(bare=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
