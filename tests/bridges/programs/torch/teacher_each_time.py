"""Mean teacher for leaf segmentation: the teacher is asked for its map and, for the mask, once more."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def network():
    return nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.SiLU(), nn.Conv2d(4, 1, 3, padding=1))


def targets_apart(teacher, leaves):
    with torch.no_grad():
        soft = torch.sigmoid(teacher(leaves))
        sure = (teacher(leaves).abs() > 0.001).float()  #!
    return soft, sure


def targets_together(teacher, leaves):
    with torch.no_grad():
        scores = teacher(leaves)
    return torch.sigmoid(scores), (scores.abs() > 0.001).float()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(targets):
    student, teacher = settle(network()), settle(network())
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
    leaves = torch.sin(torch.arange(72.0)).view(2, 1, 6, 6)
    for _ in range(3):
        soft, sure = targets(teacher, leaves)
        loss = (F.binary_cross_entropy_with_logits(student(leaves + 0.1), soft, reduction="none") * sure).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(teacher.parameters(), student.parameters()):
                slow.lerp_(fast, 0.01)
    return {"student.0.weight": student[0].weight.grad}


def broken():
    return train(targets_apart)


def fixed():
    return train(targets_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
