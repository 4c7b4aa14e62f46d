"""Watches a fair's ticket sales: the monitor reads each loss of each stand."""
import sys

import torch
from torch import nn


class Stand(nn.Module):
    def __init__(self):
        super().__init__()
        self.appeal = nn.Parameter(torch.linspace(0.2, 1.2, 12))

    def forward(self, visitors):
        return visitors * torch.sigmoid(self.appeal)


class Monitor:
    def __init__(self):
        self.worst = 0.0
        self.seen = 0

    def look(self, errors):
        for k in range(len(errors)):
            self.worst = max(self.worst, errors[k].item())  #!
            self.seen += 1


class QuietMonitor(Monitor):
    def look(self, errors):
        self.worst = max(self.worst, errors.detach().max().item())
        self.seen += len(errors)


def run(monitor):
    stand = Stand()
    optimizer = torch.optim.SGD(stand.parameters(), lr=0.01)
    sold = torch.linspace(2.0, 9.0, 12)
    for day in range(4):
        errors = (stand(torch.full((12,), 10.0 + day)) - sold).square()
        monitor.look(errors)
        optimizer.zero_grad()
        errors.mean().backward()
        optimizer.step()
    assert monitor.seen == 48
    return {"stand.appeal": stand.appeal.grad}


def broken():
    return run(Monitor())


def fixed():
    return run(QuietMonitor())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
