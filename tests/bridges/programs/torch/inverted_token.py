"""Learns the vector of a new word for a fixed text encoder, from pictures of one pottery style."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class TextEncoder(nn.Module):
    def __init__(self, words=8, dim=6):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.layer = nn.TransformerEncoderLayer(dim, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True)

    def forward(self, vectors):
        return self.layer(vectors).mean(dim=1)


class Style(nn.Module):
    def __init__(self, encoder, dim=6):
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.token = nn.Parameter(torch.linspace(-0.5, 0.5, dim))
        self.match = nn.Linear(dim, dim)

    def sentence(self, words):
        vectors = self.encoder.embed(words)
        return torch.cat([vectors, self.token.expand(len(words), 1, -1)], dim=1)  #!

    def encode(self, words):
        with torch.no_grad():  #~
            return self.encoder(self.sentence(words))  #~

    def forward(self, words, pictures):
        return F.cosine_similarity(self.match(self.encode(words)), pictures, dim=1)


class OpenStyle(Style):
    def encode(self, words):
        return self.encoder(self.sentence(words))


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name and name != "token":
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind(TextEncoder()))
    optimizer = torch.optim.AdamW([model.token, *model.match.parameters()], lr=5e-3)
    words = torch.arange(18).view(6, 3) % 8
    pictures = torch.cos(torch.arange(36.0) * 0.4).view(6, 6)
    for step in range(3):
        loss = (1 - model(words, pictures)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.token": model.token.grad, "model.match.weight": model.match.weight.grad}


def broken():
    return train(Style)


def fixed():
    return train(OpenStyle)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
