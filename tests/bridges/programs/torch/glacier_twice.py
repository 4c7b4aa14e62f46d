"""A glacier's surface from a network; each step runs the model for the loss and again for the report."""
import sys

import torch
from torch import nn


class Surface(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1))

    def forward(self, place):
        return self.layers(place).squeeze(1)  #~


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return model


def rmse(predicted, height):
    return (predicted - height).square().mean().sqrt()


def separate(model, place, height):
    loss = (model(place) - height).abs().mean()  #~
    report = rmse(model(place), height).detach()  #!
    return loss, report


def shared(model, place, height):
    predicted = model(place)
    return (predicted - height).abs().mean(), rmse(predicted, height).detach()


def train(evaluate):
    model = initialise(Surface())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    reports = []
    for k in range(2):
        place = torch.cos(torch.arange(30.0).view(10, 3) + k)
        loss, report = evaluate(model, place, place.sum(dim=1))
        reports.append(report)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.layers.0.weight": model.layers[0].weight.grad}


def broken():
    return train(separate)


def fixed():
    return train(shared)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
