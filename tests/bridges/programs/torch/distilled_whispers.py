"""Distils a recogniser of whispers; an adapter makes the student's features as wide as the teacher's."""
import copy
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Recogniser(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(7, width), nn.GELU())
        self.classes = nn.Linear(width, 4)

    def forward(self, sound):
        features = self.features(sound)
        return self.classes(features), features


class Distiller(nn.Module):
    def __init__(self, teacher, student, adapter):
        super().__init__()
        self.teacher = teacher.eval().requires_grad_(False)
        self.student, self.adapter = student, adapter

    def frozen(self, module, *inputs):
        with torch.inference_mode():
            return module(*inputs)  #!

    def losses(self, sound, labels):
        logits, features = self.student(sound)
        _, wanted = self.frozen(self.teacher, sound)
        yield F.cross_entropy(logits, labels)
        yield F.mse_loss(features, self.frozen(self.adapter, wanted).clone())


class OpenDistiller(Distiller):
    def losses(self, sound, labels):
        logits, features = self.student(sound)
        with torch.no_grad():
            _, wanted = self.teacher(sound)
        yield F.cross_entropy(logits, labels)
        yield F.mse_loss(features, self.adapter(wanted))


def distil(kind):
    torch.manual_seed(0)
    student, adapter = Recogniser(5), nn.Linear(9, 5)
    trainer = kind(Recogniser(9), student, adapter)
    optimizer = torch.optim.Adam([*student.parameters(), *adapter.parameters()], lr=1e-3)
    sound = torch.sin(torch.arange(42.0) * 0.8).view(6, 7)
    for _ in range(2):
        optimizer.zero_grad()
        sum(trainer.losses(sound, torch.tensor([0, 1, 2, 3, 0, 1]))).backward()
        nn.utils.clip_grad_value_(student.parameters(), 1.0)
        optimizer.step()
    return {"adapter.weight": adapter.weight.grad, "student.features.0.weight": student.features[0].weight.grad}


def broken():
    return distil(Distiller)


def fixed():
    return distil(OpenDistiller)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
