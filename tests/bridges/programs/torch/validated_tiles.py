"""Classifies roof tiles; after each epoch the whole validation set is predicted and its losses are kept."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(6), nn.ReLU())
        self.head = nn.Linear(6, 3)

    def forward(self, tile):
        return self.head(self.body(tile))


def loader(count, shift, batch_size):
    tile = torch.sin(torch.arange(count * 36) * 0.19 + shift).view(count, 1, 6, 6)
    return DataLoader(TensorDataset(tile, torch.arange(count) % 3), batch_size=batch_size)


class Fit:
    def __init__(self, model):
        self.model = model
        model(torch.zeros(1, 1, 6, 6))
        self.optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        self.history = []

    def train(self, batches):
        self.model.train()
        for tile, kind in batches:
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(tile), kind).backward()
            self.optimizer.step()

    def validate(self, batches):
        self.model.eval()
        losses = []
        for tile, kind in batches:
            losses.append(F.cross_entropy(self.model(tile), kind))  #~
        self.history.append(torch.stack(losses).mean())  #!

    def run(self, epochs):
        train, validation = loader(12, 0.0, 12), loader(24, 0.5, 4)
        for _ in range(epochs):
            self.train(train)
            self.validate(validation)
        return min((float(loss) for loss in self.history), default=0.0)


class FitInNoGrad(Fit):
    @torch.no_grad()
    def validate(self, batches):
        super().validate(batches)


def run(kind):
    torch.manual_seed(18)
    model = Tiles()
    kind(model).run(3)
    return {"model.head.weight": model.head.weight.grad}


def broken():
    return run(Fit)


def fixed():
    return run(FitInNoGrad)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
