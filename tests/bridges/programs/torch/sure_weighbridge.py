"""A weighbridge that also predicts how sure it is: Gaussian likelihood with a learned log-variance."""
import sys

import torch
from torch import nn


class Bridge(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.weight_of = nn.Linear(2, 1)
        self.log_var = nn.Linear(2, 1)
        self.least = least

    def forward(self, axles):
        return self.weight_of(axles).squeeze(-1), self.log_var(axles).squeeze(-1).clamp(min=self.least)


def likelihood(mean, log_var, seen):
    precision = torch.exp(-log_var)  #!
    return 0.5 * (log_var + precision * (mean - seen).square()).mean()


def fit(least):
    bridge = Bridge(least)
    with torch.no_grad():
        bridge.weight_of.weight.fill_(0.5)
        bridge.weight_of.bias.zero_()
        bridge.log_var.weight.copy_(torch.tensor([[-40.0, -35.0]]))
        bridge.log_var.bias.fill_(-20.0)
    optimizer = torch.optim.SGD(bridge.parameters(), lr=1e-6)
    axles = torch.linspace(0.5, 3.0, 12).view(6, 2)
    for _ in range(2):
        optimizer.zero_grad()
        loss = likelihood(*bridge(axles), axles.sum(dim=1) * 0.6)
        loss.backward()
        optimizer.step()
    return {"bridge.weight_of.weight": bridge.weight_of.weight.grad}


def broken():
    return fit(-1e6)


def fixed():
    return fit(-8.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
