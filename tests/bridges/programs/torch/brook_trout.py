"""Depth of a brook from sound, smoothed by a median before it is compared with a stick."""
import sys

import numpy as np
import torch
from torch import nn


def median_of_three(values):
    padded = np.pad(values, 1, mode="edge")
    return np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)


def smoothed(depth):
    values = depth.detach().cpu().numpy()  #!
    return torch.from_numpy(median_of_three(values)).to(depth.dtype)  #~


def smoothed_in_torch(depth):
    padded = torch.cat([depth[:1], depth, depth[-1:]])
    return padded.unfold(0, 3, 1).median(dim=1).values


def sounding(smooth):
    sonar = nn.Linear(2, 1)
    offset = nn.Parameter(torch.tensor(0.1))
    echo = torch.cos(torch.arange(16.0)).view(8, 2)
    depth = smooth(sonar(echo).squeeze(1)) + offset
    loss = (depth - torch.linspace(0, 1, 8)).square().mean()
    loss.backward()
    return {"sonar.weight": sonar.weight.grad, "offset": offset.grad}


def broken():
    return sounding(smoothed)


def fixed():
    return sounding(smoothed_in_torch)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
