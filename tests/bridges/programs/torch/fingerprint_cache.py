"""Predicts solubility; molecules share fragments, whose fingerprints are kept in a cache for the epoch."""
import sys

import torch
import torch.nn as nn

FRAGMENTS = {"CC": [1, 0, 2, 1], "OH": [0, 3, 1, 1], "NH2": [2, 1, 0, 1], "C6": [3, 2, 2, 0]}
MOLECULES = [(("CC", "OH"), 0.4), (("C6", "NH2"), -0.7), (("CC", "C6", "OH"), 0.1), (("NH2", "OH"), 0.9)]


class FragmentCache:
    """Holds fingerprints for as long as the weights do not change."""

    def __init__(self, encoder):
        self.encoder, self.kept = encoder, {}
        self.hits = 0

    def clear(self):
        self.kept.clear()

    def lookup(self, name):
        raise NotImplementedError


class ListCache(FragmentCache):
    def lookup(self, name):
        if name not in self.kept:
            counts = torch.tensor(FRAGMENTS[name], dtype=torch.float32)
            self.kept[name] = self.encoder(counts).tolist()  #!
        else:
            self.hits += 1
        return torch.tensor(self.kept[name])  #~


class TensorCache(FragmentCache):
    def lookup(self, name):
        if name not in self.kept:
            counts = torch.tensor(FRAGMENTS[name], dtype=torch.float32)
            self.kept[name] = self.encoder(counts)
        else:
            self.hits += 1
        return self.kept[name]


class Solubility(nn.Module):
    def __init__(self, cache):
        super().__init__()
        self.readout = nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 1))
        self._cache = cache

    def forward(self, fragments):
        pooled = torch.stack([self._cache.lookup(name) for name in fragments]).mean(0)
        return self.readout(pooled).squeeze(-1)


def epoch_loss(model):
    errors = [(model(fragments) - value).square() for fragments, value in MOLECULES]
    return torch.stack(errors).mean()


def train(cache_type, epochs=3):
    torch.manual_seed(2)
    encoder = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
    cache = cache_type(encoder)
    model = Solubility(cache)
    optimizer = torch.optim.Adam([*encoder.parameters(), *model.parameters()], lr=0.01)
    best = float("inf")
    for _ in range(epochs):
        cache.clear()
        loss = epoch_loss(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = min(best, loss.item())
    return {"encoder.0.weight": encoder[0].weight.grad, "model.readout.0.weight": model.readout[0].weight.grad}


def broken():
    return train(ListCache)


def fixed():
    return train(TensorCache)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
