"""A variational model of tides: a code is drawn and decoded; its spread is fixed."""
import sys

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence


class Tides(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(6, 2)
        self.decode = nn.Linear(2, 6)
        self.spread = 0.3

    def posterior(self, tide):
        return Normal(self.encode(tide), self.spread)

    def code(self, posterior):
        return posterior.sample()  #!

    def forward(self, tide):
        return self.decode(self.code(self.posterior(tide)))


class Reparameterised(Tides):
    def code(self, posterior):
        return posterior.rsample()


def train(kind):
    torch.manual_seed(3)
    tides = kind()
    optimizer = torch.optim.Adam(tides.parameters(), lr=1e-2)
    for step in range(3):
        tide = torch.sin(torch.arange(24.0).view(4, 6) * 0.3 + step)
        loss = (tides(tide) - tide).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            kl = kl_divergence(tides.posterior(tide), Normal(0.0, 1.0)).mean().item()
    print("kl", round(kl, 1) >= 0)
    return {"tides.encode.weight": tides.encode.weight.grad, "tides.decode.weight": tides.decode.weight.grad}


def broken():
    return train(Tides)


def fixed():
    return train(Reparameterised)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
