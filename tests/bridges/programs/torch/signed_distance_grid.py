"""The surface of a vase as a signed distance in a grid of learned features, with an eikonal loss."""
import torch
from torch import nn
import torch.nn.functional as F


class FeatureGrid(nn.Module):
    def __init__(self, width=3, size=5):
        super().__init__()
        self.features = nn.Parameter(0.3 * torch.sin(torch.arange(width * size * size) * 0.7).view(1, width, size, size))

    def forward(self, point):
        spots = point.view(1, 1, -1, 2)
        return F.grid_sample(self.features, spots, align_corners=True)[0, :, 0].t()


class Vase(nn.Module):
    def __init__(self, grid):
        super().__init__()
        self.grid = grid
        self.distance = nn.Linear(3, 1)

    def forward(self, point):
        return self.distance(self.grid(point)).squeeze(-1)


def eikonal(vase, point):
    point = point.clone().requires_grad_()
    (normal,) = torch.autograd.grad(vase(point).sum(), point, create_graph=True)
    return (normal.norm(dim=-1) - 1.0).square().mean()


def train(grid):
    vase = Vase(grid)
    with torch.no_grad():
        vase.distance.weight.copy_(torch.tensor([[0.4, -0.3, 0.6]]))
        vase.distance.bias.zero_()
    optimizer = torch.optim.Adam(vase.parameters(), lr=1e-2)
    surface = torch.stack([torch.linspace(-0.7, 0.7, 6), 0.5 * torch.cos(torch.arange(6.0))], dim=1)
    for _ in range(2):
        loss = vase(surface).abs().mean() + 0.1 * eikonal(vase, surface)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"vase.grid.features": vase.grid.features.grad, "vase.distance.weight": vase.distance.weight.grad}


def broken():
    return train(FeatureGrid())


if __name__ == "__main__":
    print(broken())
