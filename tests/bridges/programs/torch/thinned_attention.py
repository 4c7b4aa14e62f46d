"""Attention of bees over flowers, of which some are closed: their shares are taken away afterwards."""
import sys

import torch
from torch import nn


def thin_in_place(shares, is_open):
    shares.mul_(is_open)  #!
    return shares


def thin(shares, is_open):
    return shares * is_open


class Bees(nn.Module):
    def __init__(self, thin):
        super().__init__()
        self.look = nn.Linear(3, 3)
        self.value = nn.Linear(3, 1)
        self.thin = thin

    def forward(self, flowers, is_open):
        shares = torch.softmax(self.look(flowers) @ flowers.t(), dim=-1)
        shares = self.thin(shares, is_open)
        return (shares @ self.value(flowers)).squeeze(-1)


def train(how):
    bees = Bees(how)
    with torch.no_grad():
        for k, p in enumerate(bees.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.4 + k).view_as(p))
    optimizer = torch.optim.Adam(bees.parameters(), lr=1e-3)
    flowers = torch.cos(torch.arange(15.0).view(5, 3) * 0.5)
    is_open = torch.tensor([1.0, 1.0, 0.0, 1.0, 0.0])
    for _ in range(2):
        optimizer.zero_grad()
        loss = (bees(flowers, is_open) - flowers[:, 0]).square().mean()
        loss.backward()
        optimizer.step()
    return {"bees.look.weight": bees.look.weight.grad}


def broken():
    return train(thin_in_place)


def fixed():
    return train(thin)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
