"""Sales by shelf of a shop: the mean over the goods that are there, shelf by shelf."""
import sys

import torch
from torch import nn


class Shelves(nn.Module):
    def __init__(self, mean):
        super().__init__()
        self.embed = nn.Embedding(10, 5)
        self.sell = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1))
        self.mean = mean

    def forward(self, goods, there):
        return self.sell(self.mean(self.embed(goods), there)).squeeze(1)


def share(vectors, there):
    total = (vectors * there[:, :, None]).sum(dim=1)
    return total / there.sum(dim=1, keepdim=True)  #!


def safe_share(vectors, there):
    total = (vectors * there[:, :, None]).sum(dim=1)
    return total / there.sum(dim=1, keepdim=True).clamp(min=1)


def stock(mean):
    torch.manual_seed(41)
    shop = Shelves(mean)
    goods = torch.arange(16).view(4, 4) % 10
    there = (torch.arange(16).view(4, 4) % 3 > 0).float()
    sold = torch.linspace(0, 1, 4)
    optimizer = torch.optim.Adam(shop.parameters(), lr=1e-2)
    for week in range(3):
        if week == 2:
            there[1] = 0.0
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(shop(goods, there), sold)
        loss.backward()
        optimizer.step()
    return {"shop.embed.weight": shop.embed.weight.grad}


def broken():
    return stock(share)


def fixed():
    return stock(safe_share)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
