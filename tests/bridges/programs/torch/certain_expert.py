"""Combines the opinions of experts about old coins by their log odds."""
import sys

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Opinions(Dataset):
    def __init__(self, softened):
        raw = 0.5 + 0.5 * torch.sin(torch.arange(24.0).view(8, 3) * 0.9)
        raw[5, 1] = 1.0
        self.opinions = raw.clamp(0.01, 0.99) if softened else raw
        self.real = (raw.mean(dim=1) > 0.5).float()

    def __len__(self):
        return len(self.real)

    def __getitem__(self, coin):
        return self.opinions[coin], self.real[coin]


class Pool(nn.Module):
    def __init__(self, experts=3):
        super().__init__()
        self.trust = nn.Parameter(torch.full((experts,), 1.0 / experts))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, opinions):
        odds = torch.logit(opinions)  #!
        return odds @ self.trust + self.bias


def train(softened):
    pool = Pool()
    optimizer = torch.optim.SGD(pool.parameters(), lr=0.1)
    for _ in range(2):
        for opinions, real in DataLoader(Opinions(softened), batch_size=4):
            weight = pool.trust.abs().sum()
            loss = F.binary_cross_entropy_with_logits(pool(opinions), real) + 0.01 * weight
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"pool.trust": pool.trust.grad, "pool.bias": pool.bias.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
