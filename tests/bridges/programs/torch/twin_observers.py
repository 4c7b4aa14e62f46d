"""Learns features of the night sky without labels: a student follows a teacher that begins as its copy."""
import copy
import sys

import torch
from torch import nn


class Observer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.Linear(8, 4))

    def forward(self, sky):
        return nn.functional.normalize(self.body(sky), dim=-1)


def started():
    observer = Observer()
    with torch.no_grad():
        for k, p in enumerate(observer.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    return observer


def same_view(sky):
    return sky


def other_view(sky):
    return sky + 0.1 * torch.cos(3.0 * sky)


def train(view, steps=1):
    student = started()
    teacher = copy.deepcopy(student).eval()
    for p in teacher.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for step in range(steps):
        sky = torch.sin(torch.arange(20.0).view(4, 5) * 0.7 + step)
        wanted = teacher(sky)
        loss = (student(view(sky)) - wanted).square().sum(dim=-1).mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for ours, theirs in zip(student.parameters(), teacher.parameters()):
                theirs.lerp_(ours, 0.01)
    return {"student.body.0.weight": student.body[0].weight.grad}


def broken():
    return train(same_view)


def fixed():
    return train(other_view)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
