"""Advection of a plume by a physics-informed network in place and time."""
import sys

import torch
import torch.nn as nn


class PINN(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
        self.speed = nn.Parameter(torch.tensor(0.5))

    def residual(self, xt):
        u = self.net(xt)
        x = xt[:, 0:1]
        t = xt[:, 1:2]  #!
        u_t = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
        u_x = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
        return u_t + self.speed * u_x


class WholePINN(PINN):
    def residual(self, xt):
        u = self.net(xt)
        du = torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)[0]
        return du[:, 1:2] + self.speed * du[:, 0:1]


def solve(kind):
    torch.manual_seed(123)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    grid = torch.cartesian_prod(torch.linspace(0, 1, 4), torch.linspace(0, 1, 3)).requires_grad_(True)
    start = torch.stack([torch.linspace(0, 1, 8), torch.zeros(8)], dim=1)
    for it in range(2):
        optimizer.zero_grad()
        mse_f = model.residual(grid).pow(2).mean()
        mse_0 = (model.net(start) - torch.exp(-start[:, :1] ** 2)).pow(2).mean()
        (mse_0 + mse_f).backward()
        optimizer.step()
    return {"t": None} if kind is PINN else {"t": grid.grad[:, 1:2]}


def broken():
    return solve(PINN)


def fixed():
    return solve(WholePINN)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
