"""Which part of a thermal map made a glider turn: the gradient of the turn by the features."""
import sys

import torch
from torch import nn


class Pilot(nn.Module):
    def __init__(self):
        super().__init__()
        self.see = nn.Conv1d(1, 3, 3, padding=1)
        self.turn = nn.Linear(3, 2)

    def forward(self, thermals):
        features = torch.relu(self.see(thermals) + 0.5)  #!
        self.features = features
        return self.turn(features.mean(dim=2))


def importance(keep):
    model = Pilot()
    with torch.no_grad():
        model.see.weight.copy_(torch.linspace(0.1, 0.9, 9).view(3, 1, 3))
    thermals = torch.linspace(0.1, 1.0, 8).view(1, 1, 8)
    left = model(thermals)[0, 0]
    features = model.features
    if keep:
        features.retain_grad()
    left.backward()
    return {"features": features.grad, "model.turn.weight": model.turn.weight.grad}


def broken():
    return importance(keep=False)


def fixed():
    return importance(keep=True)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
