"""Distils a large classifier of herbs into a small one."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def network(width, depth):
    layers = [nn.Linear(6, width), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 4))


class Distillation:
    def __init__(self, teacher, student, temperature=2.0, share=0.7):
        self.teacher, self.student = teacher.eval(), student
        self.temperature, self.share = temperature, share

    def wisdom(self, x):
        return F.softmax(self.teacher(x) / self.temperature, dim=1)  #!

    def loss(self, x, kind):
        scores = self.student(x)
        soft = F.kl_div(F.log_softmax(scores / self.temperature, dim=1), self.wisdom(x), reduction="batchmean")
        return self.share * self.temperature ** 2 * soft + (1 - self.share) * F.cross_entropy(scores, kind)


class LeanDistillation(Distillation):
    def __init__(self, teacher, student):
        super().__init__(teacher.requires_grad_(False), student)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    teacher = settle(network(16, 4))
    student = settle(network(6, 1))
    distil = kind(teacher, student)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
    data = TensorDataset(torch.cos(torch.arange(144.0) * 0.5).view(24, 6), torch.arange(24) % 4)
    for x, label in DataLoader(data, batch_size=8):
        optimizer.zero_grad()
        loss = distil.loss(x, label)
        loss.backward()
        optimizer.step()
    return {"student.0.weight": student[0].weight.grad, "student.4.bias": student[4].bias.grad}


def broken():
    return train(Distillation)


def fixed():
    return train(LeanDistillation)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
