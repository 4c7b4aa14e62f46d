"""Contrastive learning of pictures with a queue of keys and an encoder that follows slowly (MoCo)."""
import copy
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)
        self.head = nn.Linear(4, 5)

    def forward(self, pictures):
        return F.normalize(self.head(F.relu(self.norm(self.conv(pictures))).mean(dim=(2, 3))), dim=1)  #!


class Contrast(nn.Module):
    def __init__(self, momentum=0.9, temperature=0.2):
        super().__init__()
        self.momentum, self.temperature = momentum, temperature
        self.online = settle(Encoder())
        self.slow = copy.deepcopy(self.online)
        for p in self.slow.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.cos(torch.arange(8.0 * 5) * 0.7).view(8, 5), dim=1))

    @torch.no_grad()
    def encode(self, encoder, pictures):
        return encoder(pictures)  #~

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.slow.parameters(), self.online.parameters()):
            slow.mul_(self.momentum).add_(fast, alpha=1 - self.momentum)

    def queries(self, pictures):
        return self.encode(self.online, pictures)  #~

    def forward(self, left, right):
        q = self.queries(left)
        self.follow()
        k = self.encode(self.slow, right)
        near = (q * k).sum(dim=1, keepdim=True)
        far = q @ self.queue.t()
        return torch.cat([near, far], dim=1) / self.temperature


class RightContrast(Contrast):
    def queries(self, pictures):
        return self.online(pictures)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = kind()
    scale = nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([*model.online.parameters(), scale], lr=0.05, momentum=0.9)
    pictures = torch.sin(torch.arange(4 * 6 * 6) * 0.21).view(4, 1, 6, 6)
    for _ in range(2):
        logits = scale * model(pictures, pictures.flip(3))
        loss = F.cross_entropy(logits, torch.zeros(4, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.online.head.weight": model.online.head.weight.grad, "scale": scale.grad}


def broken():
    return train(Contrast)


def fixed():
    return train(RightContrast)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
