"""Several small experts estimate the height of a tide; the highest estimate counts, to be on the safe side."""
import sys

import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, inputs, width, height):
        super().__init__()
        self.hidden = nn.Linear(inputs, width)
        self.out = nn.Linear(width, 1)
        self.height = height

    def forward(self, x):
        return self.height + self.out(torch.tanh(self.hidden(x))).squeeze(-1)


class Safe(nn.Module):
    def __init__(self, heights):
        super().__init__()
        self.experts = nn.ModuleList(Expert(4, 5, height) for height in heights)

    def vote(self, x):
        return torch.stack([expert(x) for expert in self.experts], dim=1)

    def forward(self, x):
        estimates = self.vote(x)
        highest, who = estimates.max(dim=1)  #!
        return highest, who


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return module


def train(heights):
    model = settle(Safe(heights))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    moon, tide = torch.sin(torch.arange(40.0)).view(10, 4), 1 + torch.cos(torch.arange(10.0))
    votes = torch.zeros(len(heights))
    for epoch in range(5):
        highest, who = model(moon)
        votes += torch.bincount(who, minlength=len(heights))
        loss = nn.functional.mse_loss(highest, tide)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {
        "model.experts.1.hidden.weight": model.experts[1].hidden.weight.grad,
        "model.experts.1.out.bias": model.experts[1].out.bias.grad,
        "model.experts.0.out.weight": model.experts[0].out.weight.grad,
    }


def broken():
    return train([2.0, -1.0, 2.1])


def fixed():
    return train([2.0, 2.0, 2.1])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
