"""Rain at farms by radial functions around stations."""
import sys

import torch
from torch import nn


class RadialLayer(nn.Module):
    def __init__(self, centres, sharpness):
        super().__init__()
        self.centres = nn.Parameter(centres)
        self.log_sharpness = nn.Parameter(torch.full((len(centres),), sharpness).log())

    def forward(self, place):
        apart = torch.cdist(place, self.centres)
        return torch.exp(-self.log_sharpness.exp() * apart.square())  #!


class Rain(nn.Module):
    def __init__(self, sharpness):
        super().__init__()
        stations = torch.stack([torch.arange(4.0) * 10.0, torch.arange(4.0).flip(0) * 8.0], dim=1)
        self.radial = RadialLayer(stations, sharpness)
        self.weight = nn.Linear(4, 1)

    def forward(self, place):
        return self.weight(self.radial(place)).squeeze(-1)


def train(sharpness):
    model = Rain(sharpness)
    with torch.no_grad():
        model.weight.weight.copy_(torch.tensor([[0.5, -0.4, 0.3, 0.8]]))
        model.weight.bias.fill_(0.2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    place = torch.stack([torch.arange(5.0) * 7.0 + 4.0, torch.arange(5.0) * 5.0 + 3.5], dim=1)
    for _ in range(3):
        loss = (model(place) - torch.sin(place.sum(dim=1))).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.radial.centres": model.radial.centres.grad,
        "model.radial.log_sharpness": model.radial.log_sharpness.grad,
        "model.weight.bias": model.weight.bias.grad,
    }


def broken():
    return train(40.0)


def fixed():
    return train(0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
