"""Levels of wells: each series is standardised by its own mean and spread before the encoder."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Standardise(nn.Module):
    least = 0.0

    def forward(self, series):
        centred = series - series.mean(dim=1, keepdim=True)
        return centred / (series.std(dim=1, keepdim=True) + self.least)  #!


class SafeStandardise(Standardise):
    least = 1e-5


class Encoder(nn.Module):
    def __init__(self, standardise, length=8, code=3):
        super().__init__()
        self.standardise = standardise()
        self.lift = nn.Conv1d(1, 4, 3, padding=1)
        self.mix = nn.GRU(4, code, batch_first=True)
        self.back = nn.Linear(code, length)

    def forward(self, series):
        x = self.standardise(series).unsqueeze(1)
        x, last = self.mix(F.gelu(self.lift(x)).transpose(1, 2))
        return self.back(last[-1])


def wells(count=12, length=8):
    series = torch.sin(torch.arange(float(count * length)) * 0.21).view(count, length)
    series[7] = 2.5
    return TensorDataset(series)


def huber(guess, series):
    scale = series.abs().amax(dim=1, keepdim=True).clamp(min=1e-3)
    return F.huber_loss(guess / scale, series / scale)


def train(standardise):
    torch.manual_seed(43)
    model = Encoder(standardise)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=3)
    history = []
    for _ in range(2):
        for (series,) in DataLoader(wells(), batch_size=6):
            loss = huber(model(series), series)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            history.append(loss.item())
        warm.step()
    return {"model.lift.weight": model.lift.weight.grad}


def broken():
    return train(Standardise)


def fixed():
    return train(SafeStandardise)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
