"""A network for the height of dunes is told not to be stiff: the product of its Hessian with the wind enters the loss."""
import sys

import torch
from torch import nn
from torch.autograd.functional import hvp


class Dune(nn.Module):
    def __init__(self, hidden=7):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.stiffness = nn.Parameter(torch.tensor(0.3))
        for k, p in enumerate(self.layers.parameters()):
            nn.init.constant_(p, 0.0)
            p.data += 0.4 * torch.sin(torch.arange(float(p.numel())) + k).view_as(p)

    def height(self, place):
        return self.layers(place).sum()

    def energy(self, place):
        return self.stiffness.exp() * place.pow(3).sum() + self.height(place).detach()


class Wind:
    def __init__(self, heading):
        self.direction = torch.tensor([torch.cos(torch.tensor(heading)), torch.sin(torch.tensor(heading))])

    def stiffness_along(self, dune, place):
        _, product = hvp(dune.energy, place, self.direction.expand_as(place).contiguous())  #!
        return (product * self.direction).sum()


class SteadyWind(Wind):
    def stiffness_along(self, dune, place):
        _, product = hvp(dune.energy, place, self.direction.expand_as(place).contiguous(), create_graph=True)
        return (product * self.direction).sum()


def survey(wind_kind, days=2):
    dune, wind = Dune(), wind_kind(0.6)
    optimizer = torch.optim.Adam(dune.parameters(), lr=1e-2)
    places = torch.cos(torch.arange(12.0) * 0.8).view(6, 2)
    heights = places[:, :1] * 0.5 - 0.1
    for _ in range(days):
        optimizer.zero_grad()
        fit = nn.functional.smooth_l1_loss(dune.layers(places), heights)
        penalty = wind.stiffness_along(dune, places)
        (fit + 0.05 * penalty.square()).backward()
        torch.nn.utils.clip_grad_norm_(dune.layers.parameters(), 2.0)
        optimizer.step()
    return {"dune.stiffness": dune.stiffness.grad, "dune.layers.0.weight": dune.layers[0].weight.grad}


def broken():
    return survey(Wind)


def fixed():
    return survey(SteadyWind)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
