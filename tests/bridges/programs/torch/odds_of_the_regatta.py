"""Log odds of regatta winners, from a probability that the model squashes itself."""
import sys

import torch
from torch import nn


class Odds(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.form = nn.Linear(2, 4)
        self.win = nn.Linear(4, 1)
        self.margin = margin

    def forward(self, boats):
        chance = torch.sigmoid(self.win(torch.relu(self.form(boats)))).squeeze(1)
        chance = chance.clamp(self.margin, 1 - self.margin)
        return torch.log(chance) - torch.log1p(-chance)  #!


def race(margin):
    torch.manual_seed(39)
    odds = Odds(margin)
    with torch.no_grad():
        odds.form.weight.abs_()
        odds.win.weight.fill_(1.0)
    boats = torch.tensor([[1.0, 0.5], [40.0, 60.0], [0.2, 0.1]])
    bookmaker = torch.tensor([0.4, 2.0, -1.0])
    optimizer = torch.optim.SGD(odds.parameters(), lr=1e-3)
    loss = nn.functional.huber_loss(odds(boats), bookmaker)
    optimizer.zero_grad()
    loss.backward()
    return {"odds.form.weight": odds.form.weight.grad}


def broken():
    return race(0.0)


def fixed():
    return race(1e-4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
