"""Beads are standardised by their spread within a string; some strings have equal beads."""
import sys

import torch
from torch import nn


def standardised(beads, eps):
    centred = beads - beads.mean(1, keepdim=True)
    spread = beads.std(1, keepdim=True)
    return centred / (spread + eps)  #!


def string(eps):
    torch.manual_seed(41)
    thread = nn.Linear(3, 2)
    beads = torch.tensor([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0], [0.5, 0.2, 0.1]])
    for epoch in range(2):
        thread.zero_grad()
        loss = thread(standardised(beads, eps)).square().mean()
        loss.backward()
    return {"thread.weight": thread.weight.grad}


def broken():
    return string(0.0)


def fixed():
    return string(1e-6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
