"""Classifies stamps by their pictures, as they come from the scanner."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, count, divide):
        self.count, self.divide = count, divide

    def __len__(self):
        return self.count

    def __getitem__(self, k):
        pixels = (140 + 100 * torch.sin(torch.arange(36.0) * (0.1 + 0.05 * k))).round()
        return pixels.view(1, 6, 6) / self.divide, k % 3


class Stamps(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.hidden = nn.Linear(64, 10)
        self.out = nn.Linear(10, kinds)

    def forward(self, scan):
        h = torch.sigmoid(self.conv(scan))  #!
        h = torch.relu(self.hidden(h.flatten(1)))
        return self.out(h)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_((0.35 + 0.25 * torch.sin(torch.arange(p.numel()) * 0.9 + k)).view_as(p))
    return module


def train(divide):
    model = settle(Stamps())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for epoch in range(2):
        right = 0
        for scan, kind in DataLoader(Scans(9, divide), batch_size=3):
            scores = model(scan)
            loss = F.cross_entropy(scores, kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (scores.argmax(1) == kind).sum().item()
    return {
        "model.conv.weight": model.conv.weight.grad,
        "model.conv.bias": model.conv.bias.grad,
        "model.hidden.weight": model.hidden.weight.grad,
    }


def broken():
    return train(divide=1)


def fixed():
    return train(divide=255)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
