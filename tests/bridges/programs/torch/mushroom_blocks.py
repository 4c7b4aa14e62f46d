"""A small residual network for pictures of mushroom caps."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def add_skip(out, identity):
    out = F.relu(out)
    out += identity  #!
    return out


def sum_skip(out, identity):
    return F.relu(out) + identity


class Squeeze(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(channels, 2), nn.ReLU(inplace=True), nn.Linear(2, channels), nn.Sigmoid())

    def forward(self, x):
        return x * self.fc(x.mean(dim=(2, 3)))[:, :, None, None]


class Block(nn.Module):
    def __init__(self, channels, join):
        super().__init__()
        self.join = join
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.squeeze = Squeeze(channels)

    def forward(self, x):
        out = F.relu(self.norm1(self.conv1(x)), inplace=True)
        out = self.squeeze(self.norm2(self.conv2(out)))
        return self.join(out, x)


class CapNet(nn.Module):
    def __init__(self, join, channels=4, kinds=3):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(Block(channels, join) for _ in range(2)))
        self.head = nn.Linear(channels, kinds)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name:
                p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(join):
    model = settle(CapNet(join))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    pictures, kinds = torch.sin(torch.arange(6 * 3 * 64.0)).view(6, 3, 8, 8), torch.arange(6) % 3
    for epoch in range(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(pictures), kinds)
        loss.backward()
        optimizer.step()
    return {"model.blocks.0.conv1.weight": model.blocks[0].conv1.weight.grad, "model.stem.weight": model.stem.weight.grad}


def broken():
    return train(add_skip)


def fixed():
    return train(sum_skip)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
