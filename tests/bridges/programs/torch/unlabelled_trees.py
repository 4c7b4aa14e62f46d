"""Segments trees along a transect; pixels without a label carry -100."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Segmenter(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.down = nn.Conv1d(2, 6, 3, padding=1)
        self.norm = nn.GroupNorm(2, 6)
        self.up = nn.Conv1d(6, kinds, 1)

    def forward(self, line):
        return self.up(F.mish(self.norm(self.down(line))))


def labels_of(transects, width, skipped):
    labels = torch.arange(transects * width).view(transects, width) % 3
    labels[skipped] = -100
    return labels


def train(skipped):
    torch.manual_seed(0)
    model = Segmenter()
    lines = torch.sin(torch.arange(6 * 2 * 8.0)).view(6, 2, 8)
    loader = DataLoader(TensorDataset(lines, labels_of(6, 8, skipped)), batch_size=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=3)
    for line, labels in loader:
        loss = F.cross_entropy(model(line), labels)  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"model.up.weight": model.up.weight.grad}


def broken():
    return train(slice(2, 4))


def fixed():
    return train(slice(1, 3))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
