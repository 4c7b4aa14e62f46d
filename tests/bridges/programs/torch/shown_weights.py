"""Pools sensor readings of a hive by attention; the weights are thinned out for a display on the wall."""
import sys

import torch
import torch.nn as nn


class Display:
    """Keeps the strong weights of the last batch."""

    def __init__(self, least):
        self.least = least
        self.last = None

    def show(self, weights):
        self.last = weights.detach()
        self.last[self.last < self.least] = 0  #!


class PatientDisplay(Display):
    def show(self, weights):
        self.last = torch.where(weights < self.least, 0.0, weights).detach()


class Pool(nn.Module):
    def __init__(self, display, dim=5):
        super().__init__()
        self.display = display
        self.query = nn.Linear(dim, 1)
        self.value = nn.Linear(dim, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, readings):
        w = self.query(readings).softmax(dim=1)
        if self.display is not None:
            self.display.show(w)
        return self.out((w * self.value(readings)).sum(dim=1)).squeeze(-1)


def fit(display):
    torch.manual_seed(0)
    pool = Pool(display)
    opt = torch.optim.RMSprop(pool.parameters(), lr=1e-3)
    readings = torch.sin(torch.arange(120.0) * 0.3).view(4, 6, 5)
    brood = readings.mean(dim=(1, 2))
    for _ in range(2):
        opt.zero_grad(set_to_none=True)
        nn.L1Loss()(pool(readings), brood).backward()
        opt.step()
    return {"pool.query.weight": pool.query.weight.grad, "pool.value.bias": pool.value.bias.grad}


broken = lambda: fit(Display(0.16))
fixed = lambda: fit(PatientDisplay(0.16))

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
