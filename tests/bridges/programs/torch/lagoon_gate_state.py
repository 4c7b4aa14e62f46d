"""Levels of a chain of lagoons; the first one is held by the sea."""
import sys

import torch
from torch import nn


class Lagoon(nn.Module):
    def __init__(self, pools=4):
        super().__init__()
        self.flow = nn.Linear(pools, pools)
        self.tide = nn.Linear(1, pools)

    def hold(self, levels, sea):
        levels[:, 0] = sea  #!
        return levels

    def step(self, levels, sea):
        levels = torch.tanh(self.flow(levels) + self.tide(sea[:, None]))
        return self.hold(levels, sea)

    def forward(self, levels, seas):
        history = []
        for sea in seas:
            levels = self.step(levels, sea)
            history.append(levels)
        return torch.stack(history, dim=1)


class MaskedLagoon(Lagoon):
    def hold(self, levels, sea):
        return torch.cat([sea[:, None], levels[:, 1:]], dim=1)


def simulate(kind):
    torch.manual_seed(4)
    lagoon = kind()
    seas = torch.sin(torch.arange(12.0)).view(6, 2) * 0.5
    seen = torch.cos(torch.arange(48.0)).view(2, 6, 4) * 0.3
    optimizer = torch.optim.Adam(lagoon.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        levels = lagoon(torch.zeros(2, 4), seas)
        loss = (levels - seen)[:, :, 1:].pow(2).mean()
        loss.backward()
        optimizer.step()
    return {"lagoon.flow.weight": lagoon.flow.weight.grad}


def broken():
    return simulate(Lagoon)


def fixed():
    return simulate(MaskedLagoon)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
