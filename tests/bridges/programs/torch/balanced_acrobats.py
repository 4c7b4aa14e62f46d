"""Which of two acrobats holds the pose longer: a score for each, compared."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
        self.score = nn.Linear(6, 1)

    def forward(self, pose):
        return self.score(self.body(pose)).squeeze(1)


def compared(judge, first, second, level):
    return judge(first) - judge(second)  #!


def compared_and_levelled(judge, first, second, level):
    return torch.cat([judge(first) - judge(second), judge(first) - level])


def perform(compare):
    torch.manual_seed(37)
    judge = Judge()
    optimizer = torch.optim.Adagrad(judge.parameters(), lr=0.05)
    first = torch.cos(torch.arange(15.0)).view(5, 3)
    second = torch.sin(torch.arange(15.0) * 2).view(5, 3)
    for _ in range(2):
        optimizer.zero_grad()
        margin = compare(judge, first, second, 0.5)
        loss = F.softplus(-margin).mean()
        loss.backward()
        optimizer.step()
    return {"judge.score.bias": judge.score.bias.grad, "judge.score.weight": judge.score.weight.grad}


def broken():
    return perform(compared)


def fixed():
    return perform(compared_and_levelled)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
