"""A dyer's two stages: which are trained is told by the name of the stage."""
import sys

import torch
from torch import nn


class Dyer:
    def __init__(self):
        self.mordant = nn.Sequential(nn.Linear(4, 6), nn.GELU())
        self.vat = nn.Linear(6, 3)

    def parameters(self):
        yield from self.mordant.parameters()
        yield from self.vat.parameters()

    def dye(self, wool, stage):
        with torch.set_grad_enabled(stage in ("mordant", "both")):
            soaked = self.mordant(wool)  #!
        return self.vat(soaked)


def season(stages):
    torch.manual_seed(6)
    dyer = Dyer()
    optimizer = torch.optim.RMSprop(dyer.parameters(), lr=1e-3)
    wool = torch.cos(torch.arange(20.0)).view(5, 4)
    shade = torch.sigmoid(torch.arange(15.0) - 7).view(5, 3)
    for stage in stages:
        optimizer.zero_grad()
        loss = (dyer.dye(wool, stage).sigmoid() - shade).abs().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(dyer.parameters(), 1.0)
        optimizer.step()
    return {"dyer.mordant.0.weight": dyer.mordant[0].weight.grad, "dyer.vat.weight": dyer.vat.weight.grad}


def broken():
    return season(["vat", "all"])


def fixed():
    return season(["vat", "both"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
