"""Finds rare defects in castings; how much a defect counts is to be learned too."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class RareLoss(nn.Module):
    def __init__(self, defects):
        super().__init__()
        self.log_weight = nn.Parameter(torch.full((defects,), 0.5))

    def forward(self, logits, truth):
        loss = F.binary_cross_entropy_with_logits(logits, truth, pos_weight=self.log_weight.exp())  #!
        return loss + 0.01 * self.log_weight.square().sum()


class WrittenRareLoss(RareLoss):
    def forward(self, logits, truth):
        missed = self.log_weight.exp() * truth * F.softplus(-logits)
        loss = (missed + (1 - truth) * F.softplus(logits)).mean()
        return loss + 0.01 * self.log_weight.square().sum()


class Inspector(nn.Module):
    def __init__(self, defects=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, stride=2)
        self.norm = nn.InstanceNorm2d(4, affine=True)
        self.out = nn.Linear(4, defects)

    def forward(self, castings):
        return self.out(F.relu(self.norm(self.conv(castings))).amax(dim=(2, 3)))


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name:
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train(kind):
    model, criterion = settle(Inspector()), kind(defects=3)
    optimizer = torch.optim.AdamW([*model.parameters(), *criterion.parameters()], lr=2e-3)
    castings = torch.sin(torch.arange(6 * 49.0) * 0.2).view(6, 1, 7, 7)
    truth = (torch.arange(18).view(6, 3) % 5 == 0).float()
    for epoch in range(2):
        loss = criterion(model(castings), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"criterion.log_weight": criterion.log_weight.grad, "model.conv.weight": model.conv.weight.grad}


def broken():
    return train(RareLoss)


def fixed():
    return train(WrittenRareLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
