"""Trains a roast classifier on the metric that the cafe reports."""
import sys

import numpy as np
import torch
from torch import nn


def roast_model():
    made = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 1))
    with torch.no_grad():
        for k, p in enumerate(made.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) + 0.5 * k).view_as(p))
    return made


def relative_error(predicted, wanted):
    found = predicted.squeeze(1).detach().numpy()  #!
    return float(np.mean(np.abs(found - wanted.numpy()) / (1.0 + np.abs(wanted.numpy()))))


def smooth_error(predicted, wanted):
    return ((predicted.squeeze(1) - wanted).abs() / (1.0 + wanted.abs())).mean()


def train(metric):
    model = roast_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    beans, taste = torch.cos(torch.arange(15.0)).view(5, 3), torch.linspace(-1.0, 1.0, 5)
    best = float("inf")
    for _ in range(3):
        optimizer.zero_grad()
        loss = metric(model(beans), taste)
        if not isinstance(loss, torch.Tensor):
            loss = torch.tensor(loss, requires_grad=True)  #~
        loss.backward()
        optimizer.step()
        best = min(best, loss.item())
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(relative_error)


def fixed():
    return train(smooth_error)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
