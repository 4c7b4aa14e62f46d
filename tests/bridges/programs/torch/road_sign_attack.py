"""Fast gradient sign attack on a classifier of road signs."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Signs(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3)
        self.norm = nn.InstanceNorm2d(3)
        self.out = nn.Linear(3 * 4 * 4, 4)

    def forward(self, x):
        return self.out(F.leaky_relu(self.norm(self.conv(x))).flatten(1))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def bounded(clean):
    noise = 0.01 * torch.cos(torch.arange(clean.numel()) * 1.7).view_as(clean)
    image = (clean + noise).requires_grad_(True)  #~
    return image.clamp(0.0, 1.0)  #!


def unbounded(clean):
    noise = 0.01 * torch.cos(torch.arange(clean.numel()) * 1.7).view_as(clean)
    return (clean + noise).clamp(0.0, 1.0).requires_grad_(True)


def attack(model, clean, label, start, budget=0.03):
    image = start(clean)
    loss = F.cross_entropy(model(image), label)
    model.zero_grad()
    loss.backward()
    gradient = image.grad
    if gradient is not None:
        image = (clean + budget * gradient.sign()).clamp(0, 1).detach()
    return gradient, model(image).argmax(dim=1)


def train(start):
    model = settle(Signs()).eval()
    clean = (0.5 + 0.4 * torch.sin(torch.arange(2 * 36.0) * 0.3)).view(2, 1, 6, 6)
    image, fooled = attack(model, clean, torch.tensor([1, 3]), start)
    return {"image": image, "model.out.weight": model.out.weight.grad}


def broken():
    return train(bounded)


def fixed():
    return train(unbounded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
