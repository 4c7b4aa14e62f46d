"""Fine-tunes a small backbone on pictures of moths; features come through a helper of the evaluation code."""
import contextlib
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.mix = nn.Conv2d(4, 6, 1)

    def forward(self, x):
        return F.relu(self.mix(F.relu(self.norm(self.stem(x))))).mean(dim=(2, 3))  #!


def frozen_mode():
    return torch.inference_mode()


def plain_mode():
    return contextlib.nullcontext()


def extract(backbone, pictures, mode):
    chunks = []
    with mode():
        for chunk in pictures.split(2):
            chunks.append(backbone(chunk))  #~
    return torch.cat([chunk.clone() for chunk in chunks])


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(mode):
    backbone = settle(Backbone())
    head = settle(nn.Linear(6, 3))
    optimizer = torch.optim.AdamW(
        [{"params": backbone.parameters(), "lr": 1e-4}, {"params": head.parameters(), "lr": 1e-2}], weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    pictures = torch.sin(torch.arange(4 * 3 * 8 * 8) * 0.13).view(4, 3, 8, 8)
    species = torch.tensor([0, 2, 1, 0])
    for epoch in range(2):
        backbone.train()
        logits = head(extract(backbone, pictures, mode))
        loss = F.cross_entropy(logits, species, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            accuracy = (logits.argmax(1) == species).float().mean()
    return {"backbone.stem.weight": backbone.stem.weight.grad, "head.weight": head.weight.grad}


def broken():
    return train(frozen_mode)


def fixed():
    return train(plain_mode)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
