"""Pace of sled dogs, one loss for each dog, so that the weak ones can be weighted."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def weighted(losses, strength):
    return losses * strength / strength.sum()  #!


def weighted_mean(losses, strength):
    return (losses * strength / strength.sum()).sum()


def run(weigh):
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    snow = torch.sin(torch.arange(12.0)).view(6, 2)
    pace = torch.linspace(1, 2, 6)
    losses = F.smooth_l1_loss(model(snow).squeeze(1), pace, reduction="none")
    weigh(losses, torch.arange(1.0, 7.0)).backward()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return run(weighted)


def fixed():
    return run(weighted_mean)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
