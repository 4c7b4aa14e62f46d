"""Heartbeats: a bank of learned filters in front of a classifier of arrhythmia."""
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class FilterBank(nn.Module):
    def __init__(self, count=4, taps=7):
        super().__init__()
        self.kernels = nn.Parameter(torch.sin(torch.arange(count * taps).reshape(count, taps) * 0.7) / taps)

    def respond(self, beat):
        raise NotImplementedError

    def forward(self, beats):
        return torch.stack([self.respond(beat) for beat in beats])


class ConvolvedBank(FilterBank):
    def respond(self, beat):
        signal = beat.numpy()
        rows = [np.convolve(signal, kernel, mode="same") for kernel in self.kernels.detach().numpy()]  #!
        return torch.from_numpy(np.stack(rows))  #~


class TensorBank(FilterBank):
    def respond(self, beat):
        flipped = self.kernels.flip(1).unsqueeze(1)
        return nn.functional.conv1d(beat.view(1, 1, -1), flipped, padding=self.kernels.shape[1] // 2)[0]


class Arrhythmia(nn.Module):
    def __init__(self, bank):
        super().__init__()
        self.bank = bank
        self.classify = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, beats):
        energy = self.bank(beats).square().mean(-1)
        return self.classify(energy)


def recordings(count=12, samples=24):
    beats = torch.sin(torch.arange(count * samples).reshape(count, samples) * 0.41)
    return TensorDataset(beats, torch.arange(count) % 3)


def train(bank, epochs=2):
    torch.manual_seed(2)
    model = Arrhythmia(bank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    right = 0
    for _ in range(epochs):
        for beats, rhythm in DataLoader(recordings(), batch_size=4):
            logits = model(beats)
            loss = nn.functional.cross_entropy(logits, rhythm)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (logits.detach().argmax(1) == rhythm).sum().item()
    return {"model.bank.kernels": model.bank.kernels.grad, "model.classify.0.weight": model.classify[0].weight.grad}


def broken():
    return train(ConvolvedBank())


def fixed():
    return train(TensorBank())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
