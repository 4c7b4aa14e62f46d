"""A prospector's policy with a bonus for entropy; some moves are forbidden."""
import sys

import torch
from torch import nn


class Prospector(nn.Module):
    def __init__(self):
        super().__init__()
        self.moves = nn.Linear(3, 4)
        with torch.no_grad():
            self.moves.weight.copy_(torch.cos(torch.arange(12.0)).view(4, 3))
            self.moves.bias.zero_()

    def forward(self, place, allowed):
        chances = self.moves(place).softmax(-1) * allowed
        return chances / chances.sum(-1, keepdim=True)


def entropy(chances):
    return -(chances * torch.log(chances)).sum(-1).mean()  #!


def safe_entropy(chances):
    return -(chances * torch.log(chances.clamp(min=1e-8))).sum(-1).mean()


def dig(bonus):
    prospector = Prospector()
    places = torch.sin(torch.arange(15.0)).view(5, 3)
    gold = torch.linspace(0.0, 1.0, 20).view(5, 4)
    allowed = torch.ones(5, 4, dtype=torch.bool)
    allowed[2, 1] = False
    optimizer = torch.optim.Adam(prospector.parameters(), lr=0.01)
    optimizer.zero_grad()
    chances = prospector(places, allowed)
    loss = -(chances * gold).sum(-1).mean() - 0.01 * bonus(chances)
    loss.backward()
    return {"prospector.moves.weight": prospector.moves.weight.grad}


def broken():
    return dig(entropy)


def fixed():
    return dig(safe_entropy)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
