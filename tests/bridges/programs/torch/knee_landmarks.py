"""Finds the joint's landmarks in X-ray pictures of knees, and whether each of them is visible."""
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

LANDMARKS = 3


class LandmarkNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GELU(), nn.Conv2d(8, 8, 3, padding=1), nn.GELU())
        self.heatmap = nn.Conv2d(8, LANDMARKS, 1)
        self.visible = nn.Linear(8, LANDMARKS)

    def forward(self, picture):
        features = self.backbone(picture)
        return self.heatmap(features), self.visible(features.mean(dim=(2, 3)))


def peaks(heatmaps):
    """The column and row of the largest value, in pixels."""
    batch, landmarks, height, width = heatmaps.shape
    best = heatmaps.flatten(2).argmax(dim=2)  #!
    return torch.stack([best % width, best // width], dim=-1).float()


def centres(heatmaps):
    """The expected column and row under the softmax of the heat."""
    batch, landmarks, height, width = heatmaps.shape
    share = heatmaps.flatten(2).softmax(dim=2).view_as(heatmaps)
    columns = torch.arange(width, dtype=share.dtype)
    rows = torch.arange(height, dtype=share.dtype)
    return torch.stack([(share.sum(2) * columns).sum(-1), (share.sum(3) * rows).sum(-1)], dim=-1)


def radiographs(count=8, size=9):
    pictures = torch.cos(torch.arange(count * size * size) * 0.11).reshape(count, 1, size, size)
    points = torch.stack([torch.arange(count * LANDMARKS) % size, torch.arange(count * LANDMARKS) * 2 % size], -1)
    seen = (torch.arange(count * LANDMARKS) % 4 > 0).float().reshape(count, LANDMARKS)
    return TensorDataset(pictures, points.reshape(count, LANDMARKS, 2).float(), seen)


def fit(locate, epochs=2):
    torch.manual_seed(11)
    net = LandmarkNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    loader = DataLoader(radiographs(), batch_size=4)
    for epoch in range(epochs):
        for pictures, points, seen in loader:
            heat, logits = net(pictures)
            # Points that no one can see say nothing about the place.
            weight = seen.detach().unsqueeze(-1)
            place = (F.smooth_l1_loss(locate(heat), points, reduction="none") * weight).sum() / weight.sum()
            loss = place / 10 + F.binary_cross_entropy_with_logits(logits, seen)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {
        "net.heatmap.weight": net.heatmap.weight.grad,
        "net.visible.weight": net.visible.weight.grad,
    }


def broken():
    return fit(peaks)


def fixed():
    return fit(centres)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
