"""Weighs the waiting times of a clinic's patients by their urgency."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Waiting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[0.2, -0.4, 0.6]]))
            self.layer.bias.fill_(0.5)

    def forward(self, patients):
        return F.softplus(self.layer(patients)).squeeze(1)


def weighted(errors, urgency):
    return errors * urgency / urgency.sum()  #!


def summed(errors, urgency):
    return (errors * urgency / urgency.sum()).sum()


def train(combine):
    waiting = Waiting()
    patients = torch.sin(torch.arange(18.0)).view(6, 3)
    minutes, urgency = torch.linspace(0.5, 3.0, 6), torch.linspace(1.0, 2.0, 6)
    optimizer = torch.optim.NAdam(waiting.parameters(), lr=0.01)
    history = []
    for _ in range(2):
        optimizer.zero_grad()
        errors = F.smooth_l1_loss(waiting(patients), minutes, reduction="none")
        history.append(errors.mean().item())
        weighed = combine(errors, urgency)
        weighed.backward()
        optimizer.step()
    return {"waiting.layer.weight": waiting.layer.weight.grad}


def broken():
    return train(weighted)


def fixed():
    return train(summed)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
