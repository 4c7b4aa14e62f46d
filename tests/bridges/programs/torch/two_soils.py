"""Yields of vineyards from soil and slope; both encoders are joined and a head reads the joined features."""
import sys

import torch
from torch import nn


class Joined(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.width = width
        self.soil = nn.Sequential(nn.Linear(3, width), nn.Softplus())
        self.slope = nn.Sequential(nn.Linear(2, width), nn.Softplus())

    def both(self, soil, slope):
        return torch.cat([self.soil(soil), self.slope(slope)], dim=-1)


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.out = nn.Linear(width, 1)

    def forward(self, features):
        return self.out(features[..., : self.width]).squeeze(-1)  #!


def train(width):
    joined, head = Joined(), Head(width)
    with torch.no_grad():
        for k, p in enumerate([*joined.parameters(), *head.parameters()]):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.SGD([{"params": joined.parameters()}, {"params": head.parameters(), "lr": 0.01}], lr=0.1)
    for season in range(3):
        soil = torch.sin(torch.arange(18.0).view(6, 3) * 0.4 + season)
        slope = torch.cos(torch.arange(12.0).view(6, 2) * 0.7 + season)
        loss = (head(joined.both(soil, slope)) - slope.sum(dim=-1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"joined.slope.0.weight": joined.slope[0].weight.grad, "joined.soil.0.weight": joined.soil[0].weight.grad}


def broken():
    return train(4)


def fixed():
    return train(8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
