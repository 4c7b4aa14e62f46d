"""Plans deliveries of cement by a demand that a network foretells; only whole pallets are sent."""
import sys

import torch
from torch import nn


class Demand(nn.Module):
    def __init__(self):
        super().__init__()
        self.season = nn.Embedding(4, 3)
        self.site = nn.Linear(2, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, season, site):
        return nn.functional.softplus(self.out(torch.tanh(self.season(season) + self.site(site)))).squeeze(-1) * 20.0


def whole(bags, pallet=12.0):
    return torch.ceil(bags / pallet)  #!


def passed_through(bags, pallet=12.0):
    exact = bags / pallet
    return exact + (torch.ceil(exact) - exact).detach()


def cost(pallets, used, price=30.0):
    sent = pallets * 12.0
    return (price * pallets + 4.0 * (used - sent).clamp(min=0.0) + 0.5 * (sent - used).clamp(min=0.0)).mean()


def train(pallets):
    demand = Demand()
    with torch.no_grad():
        for k, p in enumerate(demand.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 1.2 + k + 1).view_as(p))
    optimizer = torch.optim.Adagrad(demand.parameters(), lr=0.05)
    for step in range(3):
        season = torch.arange(6) % 4
        site = torch.cos(torch.arange(12.0).view(6, 2) + step)
        used = 15.0 + 5.0 * site.sum(dim=1)
        optimizer.zero_grad()
        cost(pallets(demand(season, site)), used).backward()
        optimizer.step()
    return {"demand.site.weight": demand.site.weight.grad, "demand.season.weight": demand.season.weight.grad}


def broken():
    return train(whole)


def fixed():
    return train(passed_through)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
