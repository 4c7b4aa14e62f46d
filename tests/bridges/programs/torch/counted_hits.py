"""Accuracy of a bell recogniser is counted during training, bell by bell."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Accuracy:
    def __init__(self):
        self.right = self.seen = 0

    def update(self, logits, labels):
        for guess, label in zip(logits.argmax(1), labels):
            self.right += int(guess.item() == label.item())  #!
            self.seen += 1

    def share(self):
        return self.right / max(self.seen, 1)


class BatchAccuracy(Accuracy):
    def update(self, logits, labels):
        self.right = self.right + (logits.argmax(1) == labels).sum()
        self.seen += len(labels)


class Bells(nn.Module):
    def __init__(self, bins=8, bells=4):
        super().__init__()
        self.filter = nn.Conv1d(1, 3, 3, padding=1)
        self.out = nn.Linear(3 * bins, bells)

    def forward(self, spectrum):
        return self.out(F.relu(self.filter(spectrum.unsqueeze(1))).flatten(1))


def spectra(count=32):
    data = torch.cos(torch.arange(count * 8.0) * 0.27).view(count, 8)
    return DataLoader(TensorDataset(data, torch.arange(count) % 4), batch_size=16)


def train(accuracy):
    torch.manual_seed(34)
    model = Bells()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    shares = []
    for _ in range(2):
        meter = accuracy()
        for spectrum, bell in spectra():
            logits = model(spectrum)
            loss = F.cross_entropy(logits, bell)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.update(logits, bell)
        shares.append(float(meter.share()))
    return {"model.filter.weight": model.filter.weight.grad}


def broken():
    return train(Accuracy)


def fixed():
    return train(BatchAccuracy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
