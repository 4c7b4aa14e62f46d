"""Dispatch of a power plant: a network bids, the grid takes no more than the line can carry."""
import sys

import torch
from torch import nn


class Bidder(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 10), nn.ELU(), nn.Linear(10, 10), nn.ELU())
        self.volume = nn.Linear(10, 1)
        self.price = nn.Linear(10, 1)

    def forward(self, hour):
        code = self.trunk(hour)
        return nn.functional.softplus(self.volume(code)).squeeze(-1), self.price(code).squeeze(-1)


class Market:
    """Revenue of a day under the limits of the lines, in the lines' own unit."""

    def __init__(self, capacity, unit):
        self.capacity, self.unit = capacity, unit

    def cleared(self, volume):
        return torch.minimum(volume * self.unit, self.capacity)  #!

    def revenue(self, volume, price, demand):
        sold = self.cleared(volume)
        accepted = torch.sigmoid(demand - price)
        cost = 0.02 * sold.square()
        return (accepted * sold * price - cost).mean()


def day(hours=12):
    hour = torch.arange(hours, dtype=torch.float32)
    angle = hour * 6.28318 / hours
    weather = torch.stack([angle.sin(), angle.cos(), hour / hours, torch.ones(hours)], 1)
    return weather, 1.5 + angle.sin(), 2.0 + 0.5 * angle.cos()


def learn(unit, rounds=4):
    torch.manual_seed(30)
    bidder = Bidder()
    optimizer = torch.optim.Adam(bidder.parameters(), lr=5e-3)
    weather, demand, capacity = day()
    market = Market(capacity, unit)
    for _ in range(rounds):
        volume, price = bidder(weather)
        loss = -market.revenue(volume, price, demand)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"bidder.volume.weight": bidder.volume.weight.grad, "bidder.price.weight": bidder.price.weight.grad}


def broken():
    return learn(unit=1000.0)  #~


def fixed():
    return learn(unit=1.0)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
