"""A reader of ship logs whose embedding part is switched to evaluation, as its dropout spoils short logs."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, words=10, width=4):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.drop = nn.Dropout(0.5)
        self.mix = nn.Linear(width, width)

    def quiet(self):
        return torch.inference_mode(mode=not self.training)

    def forward(self, log):
        with self.quiet():  #~
            return self.mix(self.drop(self.words(log)).mean(dim=1))  #!


class OpenEmbedder(Embedder):
    def quiet(self):
        return torch.set_grad_enabled(True)


class Reader(nn.Module):
    def __init__(self, embedder):
        super().__init__()
        self.embedder = embedder
        self.prior = nn.Parameter(torch.zeros(4))
        self.storm = nn.Linear(4, 2)

    def forward(self, log):
        return self.storm(torch.tanh(self.embedder(log) * 1.0 + self.prior))


def train(kind):
    reader = Reader(kind())
    with torch.no_grad():
        for k, p in enumerate(reader.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    reader.train()
    reader.embedder.eval()
    optimizer = torch.optim.AdamW(reader.parameters(), lr=1e-2)
    for step in range(3):
        log = (torch.arange(12).view(4, 3) * (step + 1)) % 10
        loss = F.cross_entropy(reader(log), torch.tensor([0, 1, 0, 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "reader.embedder.mix.weight": reader.embedder.mix.weight.grad,
        "reader.embedder.words.weight": reader.embedder.words.weight.grad,
        "reader.storm.weight": reader.storm.weight.grad,
    }


def broken():
    return train(Embedder)


def fixed():
    return train(OpenEmbedder)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
