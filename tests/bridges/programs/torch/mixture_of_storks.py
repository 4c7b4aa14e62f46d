"""Where storks land: a mixture density network; some birds land far away from where they were expected."""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Mixture(nn.Module):
    def __init__(self, inputs=2, hidden=6, parts=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh())
        self.share = nn.Linear(hidden, parts)
        self.mean = nn.Linear(hidden, parts)
        self.spread = nn.Linear(hidden, parts)

    def forward(self, day):
        x = self.body(day)
        return F.log_softmax(self.share(x), 1), self.mean(x), F.softplus(self.spread(x)) + 1e-2


class Likelihood:
    def parts(self, mixture, place):
        shares, means, spreads = mixture
        distance = (place.unsqueeze(1) - means) / spreads
        return shares, -0.5 * distance.square() - spreads.log() - 0.5 * math.log(2 * math.pi)

    def __call__(self, mixture, place):
        shares, densities = self.parts(mixture, place)
        chance = (shares.exp() * densities.exp()).sum(1)
        return -torch.log(chance).mean()  #!


class StableLikelihood(Likelihood):
    def __call__(self, mixture, place):
        shares, densities = self.parts(mixture, place)
        return -torch.logsumexp(shares + densities, 1).mean()


def landings():
    days = torch.sin(torch.arange(32.0) * 0.45).view(16, 2)
    places = days.sum(1)
    places[9] = 25.0
    return TensorDataset(days, places)


def train(kind):
    torch.manual_seed(27)
    model, likelihood = Mixture(), kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    history = []
    for _ in range(2):
        for day, place in DataLoader(landings(), batch_size=4):
            loss = likelihood(model(day), place)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.detach())
    return {"model.mean.weight": model.mean.weight.grad}


def broken():
    return train(Likelihood)


def fixed():
    return train(StableLikelihood)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
