"""Kilns compete for fuel: a softmax by hand over their temperatures, which rise over the day."""
import sys

import torch
from torch import nn


def shares(heat):
    raised = torch.exp(heat)  #!
    return raised / raised.sum(1, keepdim=True)


class Fuel(nn.Module):
    def __init__(self, share):
        super().__init__()
        self.warm = nn.Linear(3, 3)
        self.share = share

    def forward(self, day):
        return self.share(self.warm(day))


def burn(share):
    torch.manual_seed(81)
    fuel = Fuel(share)
    with torch.no_grad():
        fuel.warm.weight.copy_(torch.eye(3))
    wanted = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.4, 0.5]])
    loss = torch.zeros(())
    for hour in (1.0, 30.0, 95.0):
        day = torch.tensor([[hour, 1.0, 0.5], [0.2, hour, 0.1]])
        loss = loss + (fuel(day) - wanted).square().sum()
    loss.backward()
    return {"fuel.warm.weight": fuel.warm.weight.grad}


def broken():
    return burn(shares)


def fixed():
    return burn(lambda heat: heat.softmax(1))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
