"""Self-distillation of bird calls with a running centre, as a loss module."""
import sys

import torch
from torch import nn


class CentreLoss(nn.Module):
    def __init__(self, width, momentum=0.9):
        super().__init__()
        self.register_buffer("centre", torch.zeros(width))
        self.momentum = momentum

    @torch.no_grad()
    def update(self, teacher):
        self.centre.mul_(self.momentum).add_(teacher.mean(dim=0), alpha=1.0 - self.momentum)  #!

    def target(self, teacher):
        return torch.softmax(self.centre.expand_as(teacher), dim=1)

    def forward(self, student, teacher):
        self.update(teacher)
        return -(self.target(teacher) * torch.log_softmax(student, dim=1)).sum(dim=1).mean()


class OpenCentreLoss(CentreLoss):
    def target(self, teacher):
        return torch.softmax(teacher - self.centre, dim=1)


def initialise(model, phase):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.9 + k + phase).view_as(p))
    return model


def calls(step):
    return torch.cos(torch.arange(16.0).view(4, 4) * 0.5 + step)


def train(kind):
    student = initialise(nn.Linear(4, 3), 0.0)
    teacher = initialise(nn.Linear(4, 3), 2.0)
    criterion = kind(3)
    for step in range(3):
        student.zero_grad()
        teacher.zero_grad()
        heard = calls(step)
        loss = criterion(student(heard), teacher(heard + 0.1))
        loss.backward()
    return {"student.weight": student.weight.grad, "teacher.weight": teacher.weight.grad}


def broken():
    return train(CentreLoss)


def fixed():
    return train(OpenCentreLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
