"""Permutation-invariant separation of two violins: the better of both assignments counts."""
import itertools
import sys

import torch
from torch import nn


class Separator(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = nn.GRU(3, 4, batch_first=True)
        self.gain = nn.Parameter(torch.ones(2))
        self.heads = nn.ModuleList(nn.Linear(4, 3) for _ in range(2))

    def forward(self, mix):
        h, _ = self.mask(mix)
        return torch.stack([torch.sigmoid(head(h)) * mix for head in self.heads], dim=1)


def assigned(found, true):
    losses = torch.stack([(found[:, list(order)] - true).square().mean(dim=(1, 2, 3)) for order in itertools.permutations(range(2))])
    return losses.min(dim=0).values.mean()  #!


def scaled(model, found):
    return found * model.gain.view(1, 2, 1, 1)


def train(weigh):
    torch.manual_seed(0)
    model = Separator()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    true = torch.sin(torch.arange(2 * 2 * 5 * 3.0)).view(2, 2, 5, 3)
    for _ in range(2):
        found = model(true.sum(dim=1))
        shown = scaled(model, found)
        loss = assigned(shown if weigh else found, true)  #~
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(shown.mean().item())
    return {"model.gain": model.gain.grad, "model.mask.weight_hh_l0": model.mask.weight_hh_l0.grad}


def broken():
    return train(weigh=False)


def fixed():
    return train(weigh=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
