"""Pressure in water pipes: a physics loss needs derivatives of the net by place and time; a learned leak coefficient."""
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, place, time):
        return self.net(torch.stack([place, time], 1)).squeeze(1)


def slope(value, by):
    return torch.autograd.grad(value.sum(), by, create_graph=True)[0]


class Pipes(nn.Module):
    def __init__(self):
        super().__init__()
        self.pressure = Net()
        self.log_speed = nn.Parameter(torch.tensor(0.0))
        self.leak = nn.Parameter(torch.tensor(0.1))

    def residual(self, place, time):
        p = self.pressure(place, time)
        p_t, p_x = slope(p, time), slope(p, place)
        if p.mean() > 1.0:  #!
            return slope(p_t, time) - self.log_speed.exp() ** 2 * slope(p_x, place) + self.leak * p_t
        return slope(p_t, time) - self.log_speed.exp() ** 2 * slope(p_x, place)


class LeakyPipes(Pipes):
    def residual(self, place, time):
        p = self.pressure(place, time)
        p_t, p_x = slope(p, time), slope(p, place)
        return slope(p_t, time) - self.log_speed.exp() ** 2 * slope(p_x, place) + self.leak * p_t


def points(count=10):
    place = torch.linspace(0, 1, count).requires_grad_()
    time = torch.cos(torch.arange(float(count))).abs().requires_grad_()
    return place, time


def fit(kind):
    torch.manual_seed(13)
    pipes = kind()
    optimizer = torch.optim.LBFGS(pipes.parameters(), lr=0.1, max_iter=3)
    place, time = points()
    measured = torch.sin(3 * place.detach())

    def closure():
        optimizer.zero_grad()
        start = pipes.pressure(place, torch.zeros_like(time))
        loss = (start - measured).square().mean() + pipes.residual(place, time).square().mean()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return {"pipes.leak": pipes.leak.grad, "pipes.log_speed": pipes.log_speed.grad}


def broken():
    return fit(Pipes)


def fixed():
    return fit(LeakyPipes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
