"""Tunes a picture encoder against the names of mushrooms, which a frozen text encoder reads."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class TextEncoder(nn.Module):
    def __init__(self, words=12, width=48):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, names):
        return F.normalize(self.mix(self.embed(names).mean(dim=1)), dim=-1)  #~


class Tuner(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.text = TextEncoder()
        self.picture = nn.Linear(6, 48)
        self.names = names

    def prompts(self):
        with torch.no_grad():
            return self.text(self.names)  #!

    def forward(self, picture):
        return 10.0 * F.normalize(self.picture(picture), dim=-1) @ self.prompts().t()


class KeptTuner(Tuner):
    kept = None

    def prompts(self):
        if self.kept is None:
            self.kept = super().prompts()
        return self.kept


def train(kind, epochs=3):
    tuner = kind(torch.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
    with torch.no_grad():
        for k, p in enumerate(tuner.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    tuner.text.requires_grad_(False)
    optimizer = torch.optim.SGD(tuner.picture.parameters(), lr=0.1)
    for epoch in range(epochs):
        for batch in range(2):
            picture = torch.sin(torch.arange(24.0).view(4, 6) + epoch + 3 * batch)
            loss = F.cross_entropy(tuner(picture), torch.tensor([0, 1, 2, 0]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"tuner.picture.weight": tuner.picture.weight.grad}


def broken():
    return train(Tuner)


def fixed():
    return train(KeptTuner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
