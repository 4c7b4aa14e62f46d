"""Sorts buttons by material; frozen features are computed quickly while evaluating."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Buttons(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 8)
        self.head = nn.Linear(8, 3)

    def features(self, looks):
        with torch.inference_mode(not self.training):
            return F.elu(self.encoder(looks))  #!

    def forward(self, looks):
        return self.head(self.features(looks).clone())


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        right = [(model(looks).argmax(1) == kind).float().mean() for looks, kind in loader]
    return torch.stack(right).mean()


def train(again, epochs=2):
    torch.manual_seed(11)
    model = Buttons()
    looks = torch.sin(torch.arange(72.0) * 0.4).view(12, 6)
    loader = DataLoader(TensorDataset(looks, torch.arange(12) % 3), batch_size=6)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        if again:
            model.train()
        for batch, kind in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(batch), kind).backward()
            optimizer.step()
        accuracy(model, loader)
    return {"model.encoder.weight": model.encoder.weight.grad, "model.head.weight": model.head.weight.grad}


def broken():
    return train(again=False)


def fixed():
    return train(again=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
