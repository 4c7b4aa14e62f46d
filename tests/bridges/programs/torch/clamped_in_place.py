"""Learns the dose of a drug; concentrations are kept within a range in place."""
import sys

import torch
from torch import nn


class Dose(nn.Module):
    def __init__(self):
        super().__init__()
        self.uptake = nn.Linear(3, 4)
        self.decay = nn.Linear(4, 1)

    def forward(self, patient, bound):
        level = torch.sigmoid(self.uptake(patient))
        level = bound(level)
        return self.decay(level).squeeze(1)


def in_place(level):
    level.clamp_(0.2, 0.8)  #!
    return level


def out_of_place(level):
    return level.clamp(0.2, 0.8)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(bound):
    model = settle(Dose())
    patients = torch.cos(torch.arange(18.0)).view(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = (model(patients, bound) - 0.3).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.uptake.weight": model.uptake.weight.grad}


def broken():
    return train(in_place)


def fixed():
    return train(out_of_place)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
