"""Sorts pebbles by kind; each epoch ends with a table of which kind was taken for which."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class PebbleNet(nn.Module):
    def __init__(self, kinds=4):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 12), nn.LeakyReLU(0.1))
        self.kinds = nn.Linear(12, kinds)

    def forward(self, pebbles):
        return self.kinds(self.features(pebbles))


class Confusion:
    def __init__(self, kinds):
        self.table = torch.zeros(kinds, kinds, dtype=torch.long)

    def add(self, found, truth):
        for one, other in zip(truth, found):
            self.table[int(one), int(other)] += 1  #!

    def accuracy(self):
        return (self.table.diag().sum() / self.table.sum()).item()


class CountedConfusion(Confusion):
    def add(self, found, truth):
        kinds = len(self.table)
        self.table += torch.bincount(truth * kinds + found, minlength=kinds * kinds).view(kinds, kinds)


class Beach:
    def __init__(self, batches=3, size=24):
        self.batches, self.size = batches, size

    def __iter__(self):
        for k in range(self.batches):
            pebbles = torch.sin(torch.arange(self.size * 6.0) * 0.19 + k).view(self.size, 6)
            yield pebbles, (torch.arange(self.size) * 7 + k) % 4


def train(confusion_kind, epochs=2):
    torch.manual_seed(8)
    net = PebbleNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    best = 0.0
    for _ in range(epochs):
        confusion = confusion_kind(4)
        for pebbles, kind in Beach():
            optimizer.zero_grad()
            logits = net(pebbles)
            loss = F.cross_entropy(logits, kind)
            loss.backward()
            optimizer.step()
            confusion.add(logits.detach().argmax(1), kind)
        best = max(best, confusion.accuracy())
    return {"net.features.0.weight": net.features[0].weight.grad, "net.kinds.bias": net.kinds.bias.grad}


def broken():
    return train(Confusion)


def fixed():
    return train(CountedConfusion)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
