"""Classifies mosses with an auxiliary head that is to help the first layers."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Moss(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.GELU())
        self.main = nn.Linear(6, 3)
        self.aux = nn.Linear(6, 3)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))

    def forward(self, leaf):
        hidden = self.body(leaf)
        result = {"main": self.main(hidden)}
        if self.training:  #!
            result["aux"] = self.aux(hidden)
        return result


def loss_of(found, kinds):
    return sum(weight * F.cross_entropy(found[name], kinds) for name, weight in (("main", 1.0), ("aux", 0.3)) if name in found)


def evaluate(model, leaves, kinds):
    model.eval()  #~
    with torch.no_grad():
        return (model(leaves)["main"].argmax(1) == kinds).float().mean().item()


def train(back_to_training):
    model = Moss()
    leaves, kinds = torch.cos(torch.arange(32.0)).view(8, 4), torch.arange(8) % 3
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        evaluate(model, leaves, kinds)
        if back_to_training:
            model.train()
        optimizer.zero_grad()
        loss_of(model(leaves), kinds).backward()
        optimizer.step()
    return {"model.aux.weight": model.aux.weight.grad, "model.main.weight": model.main.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
