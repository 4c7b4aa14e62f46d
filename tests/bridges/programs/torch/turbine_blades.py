"""Shape of a turbine's blade: the forward model is a frozen network, and the shape is what is optimised."""
import sys

import torch
from torch import nn


class Surrogate(nn.Module):
    """Lift and drag of a profile; trained elsewhere."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 16), nn.SiLU(), nn.Linear(16, 2))

    def forward(self, heights, angle):
        return self.net(torch.cat([heights, angle.expand(1)]))


class Blade(nn.Module):
    def __init__(self):
        super().__init__()
        self.heights = nn.Parameter(torch.tensor([0.1, 0.3, 0.4, 0.3, 0.2, 0.1]))
        self.angle = nn.Parameter(torch.tensor(0.1))


def roughness(heights):
    bends = heights[2:] - 2 * heights[1:-1] + heights[:-2]
    safe = torch.where(bends == 0, torch.ones_like(bends), bends)
    return torch.where(bends == 0, torch.zeros_like(bends), safe.abs().sqrt()).mean()


def optimise(steps=4):
    torch.manual_seed(19)
    surrogate = Surrogate().eval()
    for p in surrogate.parameters():
        p.requires_grad = False
    blade = Blade()
    optimizer = torch.optim.LBFGS(blade.parameters(), lr=0.3, max_iter=3)
    best, best_heights = float("inf"), None

    def closure():
        optimizer.zero_grad()
        lift, drag = surrogate(blade.heights, blade.angle)
        cost = drag - lift + 0.05 * roughness(blade.heights) + blade.angle.square()
        cost.backward()
        return cost

    for _ in range(steps):
        cost = optimizer.step(closure)
        with torch.no_grad():
            blade.heights.clamp_(0.0, 1.0)
        if cost.item() < best:
            best, best_heights = cost.item(), blade.heights.detach().clone()
    return {"blade.heights": blade.heights.grad, "blade.angle": blade.angle.grad}


def broken():
    return optimise()


if __name__ == "__main__":
    print(broken())
