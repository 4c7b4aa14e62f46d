"""Traffic as an equilibrium layer; the gradient comes from the implicit function theorem in a hook."""
import sys

import torch
from torch import autograd, nn


class Cell(nn.Module):
    def __init__(self, roads):
        super().__init__()
        self.mix = nn.Linear(roads, roads)
        self.enter = nn.Linear(3, roads)

    def forward(self, flow, demand):
        return torch.tanh(0.5 * self.mix(flow) + self.enter(demand))


def settle(f, start, rounds=12):
    z = start
    for _ in range(rounds):
        z = f(z)
    return z


class Equilibrium(nn.Module):
    def __init__(self, cell, keep):
        super().__init__()
        self.cell, self.keep = cell, keep

    def forward(self, demand):
        with torch.no_grad():
            flow = settle(lambda z: self.cell(z, demand), torch.zeros(len(demand), 4))
        flow = self.cell(flow, demand)
        if self.training:
            here = flow.clone().detach().requires_grad_()
            there = self.cell(here, demand)  #~

            def implicit(upstream):
                pull = lambda y: autograd.grad(there, here, y, retain_graph=self.keep)[0] + upstream  #!
                return settle(pull, upstream)

            flow.register_hook(implicit)
        return flow


def fit(keep):
    torch.manual_seed(2)
    net = nn.Sequential(Equilibrium(Cell(4), keep), nn.Linear(4, 1))
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    demand = torch.cos(torch.arange(15.0)).view(5, 3)
    for _ in range(2):
        adam.zero_grad()
        jam = net(demand).sub(demand.sum(1, keepdim=True)).pow(2).mean()
        jam.backward()
        adam.step()
    return {"net.0.cell.mix.weight": net[0].cell.mix.weight.grad}


def broken():
    return fit(keep=None)


def fixed():
    return fit(keep=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
