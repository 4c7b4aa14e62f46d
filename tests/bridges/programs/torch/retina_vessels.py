"""Segmentation of vessels in fundus photographs, with a head that measures their width."""
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


class FundusNet(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.ReLU())
        self.mask_head = nn.Conv2d(width, 1, 1)
        self.width_head = nn.Conv2d(width, 1, 1)

    def forward(self, photo):
        features = self.stem(photo)
        return self.mask_head(features), self.width_head(features)


def dice(prediction, truth, smooth=1.0):
    overlap = (prediction * truth).sum(dim=(1, 2, 3))
    total = prediction.sum(dim=(1, 2, 3)) + truth.sum(dim=(1, 2, 3))
    return ((2 * overlap + smooth) / (total + smooth)).mean()


class HardDiceLoss(nn.Module):
    def __init__(self, threshold=0.5):
        super().__init__()
        self.threshold = threshold

    def forward(self, logits, truth):
        vessels = (torch.sigmoid(logits) > self.threshold).float()  #!
        return 1 - dice(vessels, truth)


class SoftDiceLoss(nn.Module):
    def forward(self, logits, truth):
        return 1 - dice(torch.sigmoid(logits), truth)


def photographs(count=4, size=10):
    grid = torch.arange(count * 3 * size * size, dtype=torch.float32).reshape(count, 3, size, size)
    photo = torch.sin(grid * 0.37) * 0.5 + 0.5
    mask = (photo.mean(1, keepdim=True) > 0.55).float()
    return photo, mask, mask * photo[:, :1]


def train(criterion, steps=3):
    torch.manual_seed(4)
    model = FundusNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    photo, mask, widths = photographs()
    history = []
    for step in range(steps):
        optimizer.zero_grad()
        logits, predicted = model(photo)
        overlap = criterion(logits, mask)
        regression = F.smooth_l1_loss(predicted * mask, widths)
        loss = overlap + 0.5 * regression
        loss.backward()
        optimizer.step()
        history.append((overlap.detach().item(), regression.detach().item()))
    return {
        "model.mask_head.weight": model.mask_head.weight.grad,
        "model.width_head.weight": model.width_head.weight.grad,
    }


def broken():
    return train(HardDiceLoss())


def fixed():
    return train(SoftDiceLoss())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
