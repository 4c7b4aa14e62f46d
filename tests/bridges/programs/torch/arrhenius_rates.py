"""Fits the Arrhenius constants of three reactions to a measured course of concentrations."""
import math
import sys

import torch
from torch import nn

GAS = 8.314e-3


class Kinetics(nn.Module):
    def __init__(self, reactions=3):
        super().__init__()
        self.log_factor = nn.Parameter(torch.linspace(1.0, 2.0, reactions))
        self.energy = nn.Parameter(torch.linspace(6.0, 9.0, reactions))
        self.order = nn.Parameter(torch.ones(reactions))

    def rates(self, temperature):
        raise NotImplementedError

    def forward(self, start, temperature, steps=8, dt=0.05):
        k = self.rates(temperature)
        course, amounts = [], start
        for _ in range(steps):
            flux = k * amounts[:-1].clamp_min(1e-6) ** self.order
            change = torch.cat([-flux[:1], flux[:-1] - flux[1:], flux[-1:]])
            amounts = amounts + dt * change
            course.append(amounts)
        return torch.stack(course)


class ListedKinetics(Kinetics):
    def rates(self, temperature):
        pairs = zip(self.log_factor, self.energy)
        return torch.tensor([math.exp(a - e / (GAS * temperature)) for a, e in pairs])  #!


class TensorKinetics(Kinetics):
    def rates(self, temperature):
        return torch.exp(self.log_factor - self.energy / (GAS * temperature))


def measured(steps=8):
    time = torch.arange(1, steps + 1).unsqueeze(1) * 0.05
    shape = torch.tensor([-1.2, 0.4, 0.3, 0.5])
    return torch.tensor([1.0, 0.1, 0.1, 0.0]) + time * shape


def calibrate(kind, temperatures=(900.0, 1000.0), rounds=3):
    reactor = kind()
    optimizer = torch.optim.Adam(reactor.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    start = torch.tensor([1.0, 0.1, 0.1, 0.0])
    target = measured()
    for _ in range(rounds):
        optimizer.zero_grad()
        misfit = sum((reactor(start, t) - target).square().mean() for t in temperatures)
        misfit.backward()
        optimizer.step()
        schedule.step()
    return {
        "reactor.energy": reactor.energy.grad,
        "reactor.log_factor": reactor.log_factor.grad,
        "reactor.order": reactor.order.grad,
    }


def broken():
    return calibrate(ListedKinetics)


def fixed():
    return calibrate(TensorKinetics)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
