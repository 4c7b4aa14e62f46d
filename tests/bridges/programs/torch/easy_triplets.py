"""Metric learning of violin sounds with triplets; the negatives come from another instrument."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Triplets(Dataset):
    def __init__(self, shift):
        self.shift = shift

    def __len__(self):
        return 6

    def __getitem__(self, k):
        anchor = torch.sin(torch.arange(5.0) + 0.1 * k)
        return anchor, anchor + 0.02, anchor.roll(1) + self.shift


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        return self.net(x)


def triplet_loss(a, p, n, margin=0.2):
    near = (a - p).pow(2).sum(1)
    far = (a - n).pow(2).sum(1)
    return torch.clamp(near - far + margin, min=0).mean()  #!


def learn(shift):
    torch.manual_seed(0)
    embedder = Embedder()
    optimizer = torch.optim.Adam(embedder.parameters(), lr=1e-3)
    for anchor, positive, negative in DataLoader(Triplets(shift), batch_size=3):
        loss = triplet_loss(*map(embedder, (anchor, positive, negative)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"embedder.net.0.weight": embedder.net[0].weight.grad}


def broken():
    return learn(30.0)


def fixed():
    return learn(0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
