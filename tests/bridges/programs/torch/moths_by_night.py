"""Moths at light traps: an embedding is trained with a bank of negatives and a small classifier on top."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Traps(Dataset):
    def __init__(self, count=24):
        self.images = torch.cos(torch.arange(count * 16.0) * 0.37).view(count, 1, 4, 4)
        self.species = torch.arange(count) % 3

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.species[index]


class Encoder(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)
        self.out = nn.Linear(4, dim)

    def forward(self, image):
        x = F.silu(self.norm(self.stem(image)))  #!
        return self.out(x.mean(dim=(2, 3)))


class Bank:
    def __init__(self, size=12, dim=6):
        self.rows = F.normalize(torch.sin(torch.arange(float(size * dim))).view(size, dim), dim=1)
        self.at = 0

    def push(self, rows):
        for row in rows.detach():
            self.rows[self.at % len(self.rows)] = row
            self.at += 1


class Learner:
    def __init__(self, encoder, classes=3):
        self.encoder = encoder
        self.probe = nn.Linear(6, classes)
        self.bank = Bank()
        self.optimizer = torch.optim.SGD(
            [{"params": encoder.parameters()}, {"params": self.probe.parameters(), "lr": 0.05}], lr=0.01, momentum=0.9
        )

    @torch.no_grad()
    def embed(self, images):
        return F.normalize(self.encoder(images), dim=1)  #~

    def loss(self, images, species):
        query = self.embed(images)  #~
        near = -(query @ self.bank.rows.t()).logsumexp(1).mean()
        return F.cross_entropy(self.probe(query), species) - 0.1 * near

    def epoch(self, loader):
        for images, species in loader:
            self.optimizer.zero_grad(set_to_none=True)
            self.loss(images, species).backward()
            self.optimizer.step()
            self.bank.push(self.embed(images))


class RecordingLearner(Learner):
    def loss(self, images, species):
        query = F.normalize(self.encoder(images), dim=1)
        near = -(query @ self.bank.rows.t()).logsumexp(1).mean()
        return F.cross_entropy(self.probe(query), species) - 0.1 * near


def train(kind):
    torch.manual_seed(1)
    encoder = Encoder()
    learner = kind(encoder)
    loader = DataLoader(Traps(), batch_size=8)
    for _ in range(2):
        learner.epoch(loader)
    return {"encoder.stem.weight": encoder.stem.weight.grad, "learner.probe.weight": learner.probe.weight.grad}


def broken():
    return train(Learner)


def fixed():
    return train(RecordingLearner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
