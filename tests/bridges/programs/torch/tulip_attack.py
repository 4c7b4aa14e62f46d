"""Projected gradient attack on a classifier of tulips; shows where the picture is most sensitive."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Tulips(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1)
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        return self.out(torch.tanh(self.conv(x)).mean(dim=(2, 3)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    return module.eval().requires_grad_(False)


class Attack:
    def __init__(self, model, reach=0.1, step=0.03):
        self.model, self.reach, self.step = model, reach, step

    def project(self, moved, picture):
        low, high = picture - self.reach, picture + self.reach
        return torch.min(torch.max(moved, low), high).clamp(0, 1)

    def run(self, picture, label, rounds):
        attacked = picture.clone().requires_grad_()
        for _ in range(rounds):
            loss = F.cross_entropy(self.model(attacked), label)
            loss.backward()
            moved = attacked.detach() + self.step * attacked.grad.sign()
            attacked = self.project(moved, picture).requires_grad_()  #!
        return loss.item(), attacked.grad


class CarefulAttack(Attack):
    def run(self, picture, label, rounds):
        attacked = picture.clone().requires_grad_()
        for _ in range(rounds):
            loss = F.cross_entropy(self.model(attacked), label)
            loss.backward()
            slope = attacked.grad
            with torch.no_grad():
                attacked.copy_(self.project(attacked + self.step * slope.sign(), picture))
        return loss.item(), slope


def search(kind):
    model = settle(Tulips())
    picture = 0.5 + 0.4 * torch.sin(torch.arange(2 * 25.0)).view(2, 1, 5, 5)
    loss, slope = kind(model).run(picture, torch.tensor([0, 1]), rounds=3)
    return {"attacked": slope}


def broken():
    return search(Attack)


def fixed():
    return search(CarefulAttack)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
