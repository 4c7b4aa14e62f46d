"""Weights of ewes; a diary notes how wrong each guess was, ewe by ewe."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Diary:
    def __init__(self):
        self.errors = []

    def note(self, errors):
        for k in range(errors.shape[0]):
            self.errors.append(errors[k].item())  #!


class SummaryDiary(Diary):
    def note(self, errors):
        self.errors.extend(errors.detach().tolist())


def flock():
    k = torch.arange(32 * 3, dtype=torch.float32)
    return TensorDataset(torch.sin(k * 0.4).view(32, 3), torch.cos(k[:32] * 0.2))


def season(diary):
    torch.manual_seed(59)
    ewe = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1), nn.Flatten(0))
    optimizer = torch.optim.SGD(ewe.parameters(), lr=0.05)
    for measured, weight in DataLoader(flock(), batch_size=16):
        errors = (ewe(measured) - weight).abs()
        optimizer.zero_grad()
        errors.mean().backward()
        optimizer.step()
        diary.note(errors)
    return {"ewe.0.weight": ewe[0].weight.grad}


def broken():
    return season(Diary())


def fixed():
    return season(SummaryDiary())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
