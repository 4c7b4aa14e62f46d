"""Grades exams: trains on what the school cares about, the share of right grades."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.grade = nn.Linear(4, 3)

    def forward(self, answers):
        return self.grade(F.elu(self.hidden(answers)))


def accuracy_loss(logits, grades):
    right = logits.argmax(dim=1) == grades  #!
    return 1.0 - right.float().mean()


def expected_loss(logits, grades):
    return 1.0 - logits.softmax(dim=1).gather(1, grades.unsqueeze(1)).mean()


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return model


def train(loss_of):
    grader = initialise(Grader())
    answers = torch.sin(torch.arange(18.0) * 0.9).view(6, 3)
    grades = torch.tensor([0, 2, 1, 1, 0, 2])
    optimizer = torch.optim.SGD(grader.parameters(), lr=0.1)
    for _ in range(2):
        loss = loss_of(grader(answers), grades)
        optimizer.zero_grad()
        loss.backward()  #~
        optimizer.step()
    return {f"grader.{name}": p.grad for name, p in grader.named_parameters()}


def broken():
    return train(accuracy_loss)


def fixed():
    return train(expected_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
