"""Transfer learning for birdsong: the head first, then the backbone as well."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Backbone(nn.Module):
    def __init__(self, bins=8, dim=6):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.proj = nn.Linear(4 * bins, dim)

    def forward(self, spectrum):
        return torch.tanh(self.proj(F.relu(self.conv(spectrum)).flatten(1)))  #!


class Song(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = Backbone(), nn.Linear(6, 4)


class FineTune:
    def __init__(self, model, unfreeze_at):
        self.model, self.unfreeze_at = model, unfreeze_at
        self.model.backbone.requires_grad_(False)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def features(self, batches):
        if not hasattr(self, "bank"):
            self.bank = [self.model.backbone(x) for x, _ in batches]  #~
        return self.bank

    def epoch(self, batches):
        for features, (_, kind) in zip(self.features(batches), batches):
            loss = F.cross_entropy(self.model.head(features), kind)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def fit(self, batches, epochs):
        for k in range(epochs):
            if k == self.unfreeze_at:
                self.model.backbone.requires_grad_(True)  #~
            self.epoch(batches)


class FreshFineTune(FineTune):
    def features(self, batches):
        return (self.model.backbone(x) for x, _ in batches)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return module


def train(kind):
    model = settle(Song())
    spectra, kinds = torch.cos(torch.arange(96.0) * 0.3).view(12, 1, 8), torch.arange(12) % 4
    batches = list(zip(spectra.split(4), kinds.split(4)))
    kind(model, unfreeze_at=2).fit(batches, epochs=4)
    return {
        "model.backbone.proj.weight": model.backbone.proj.weight.grad,
        "model.backbone.conv.weight": model.backbone.conv.weight.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    return train(FineTune)


def fixed():
    return train(FreshFineTune)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
