"""An ensemble of tide models whose shares are learned; members are averaged by a list of Python numbers."""
import sys

import torch
from torch import nn


class Ensemble(nn.Module):
    def __init__(self, members=3):
        super().__init__()
        self.members = nn.ModuleList(nn.Linear(2, 1) for _ in range(members))
        self.shares = nn.Parameter(torch.linspace(-0.5, 0.5, members))

    def weights(self):
        return [float(w) for w in self.shares.softmax(0)]  #!

    def forward(self, x):
        return sum(w * member(x) for w, member in zip(self.weights(), self.members)).squeeze(-1)


class TensorEnsemble(Ensemble):
    def weights(self):
        return self.shares.softmax(0)


def train(kind):
    torch.manual_seed(0)
    ensemble = kind()
    optimizer = torch.optim.SGD(ensemble.parameters(), lr=0.05)
    tide = torch.sin(torch.arange(12.0)).view(6, 2)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(ensemble(tide), tide.prod(1))
        loss.backward()
        optimizer.step()
    return {"ensemble.shares": ensemble.shares.grad, "ensemble.members.0.weight": ensemble.members[0].weight.grad}


def broken():
    return train(Ensemble)


def fixed():
    return train(TensorEnsemble)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
