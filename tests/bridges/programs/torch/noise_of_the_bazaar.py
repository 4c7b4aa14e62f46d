"""Sounds of a bazaar, coded by a mean and a spread."""
import sys

import torch
from torch import nn


class Bazaar(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.ear = nn.Linear(6, 5)
        self.mean = nn.Linear(5, 2)
        self.log_spread = nn.Linear(5, 2)
        self.mouth = nn.Linear(2, 6)
        self.spread = spread

    def forward(self, sound):
        heard = torch.tanh(self.ear(sound))
        mean, log_spread = self.mean(heard), self.log_spread(heard)
        noise = torch.cos(torch.arange(float(mean.numel()))).view_as(mean)
        code = mean + noise * self.spread(log_spread)
        return self.mouth(code), mean


def unit(log_spread):
    return torch.ones_like(log_spread)


def learned(log_spread):
    return torch.exp(0.5 * log_spread)


def listen(spread):
    torch.manual_seed(75)
    bazaar = Bazaar(spread)
    sound = torch.sin(torch.arange(30.0)).view(5, 6)
    again, mean = bazaar(sound)
    rebuilt = (again - sound).square().sum(1).mean()
    loss = rebuilt + 0.1 * mean.square().sum(1).mean()  #!
    loss.backward()
    return {"bazaar.log_spread.weight": bazaar.log_spread.weight.grad, "bazaar.mean.weight": bazaar.mean.weight.grad}


def broken():
    return listen(unit)


def fixed():
    return listen(learned)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
