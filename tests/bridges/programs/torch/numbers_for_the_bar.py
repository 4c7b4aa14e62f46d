"""Trains a model of tides and shows its numbers beside the progress bar."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Bar:
    def __init__(self, steps):
        self.steps = steps
        self.shown = {}

    def postfix(self, **numbers):
        self.shown = {name: f"{number:.3f}" for name, number in numbers.items()}


class Tides(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 5, batch_first=True)
        self.level = nn.Linear(5, 1)

    def forward(self, moon):
        return self.level(self.gru(moon)[0][:, -1]).squeeze(-1)


def show_each(bar, loss, level, truth):
    bar.postfix(
        loss=loss.item(),  #!
        error=(level - truth).abs().max().item(),  #~
        spread=level.std().item(),  #~
        bias=(level - truth).mean().item(),  #~
    )


def show_together(bar, loss, level, truth):
    apart = (level - truth).detach()
    numbers = torch.stack([loss.detach(), apart.abs().max(), level.detach().std(), apart.mean()]).tolist()
    bar.postfix(**dict(zip(("loss", "error", "spread", "bias"), numbers)))


def train(show, steps=30):
    model = Tides()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    bar = Bar(steps)
    for step in range(steps):
        moon = torch.sin(torch.arange(48.0).view(6, 4, 2) * 0.2 + step)
        truth = moon.sum(dim=(1, 2)) * 0.1
        level = model(moon)
        loss = F.mse_loss(level, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        show(bar, loss, level, truth)
    return {"model.level.weight": model.level.weight.grad}


def broken():
    return train(show_each)


def fixed():
    return train(show_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
