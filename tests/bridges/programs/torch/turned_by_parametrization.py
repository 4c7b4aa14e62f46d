"""Keeps a rotation of star charts orthogonal by a parametrization, and reads the gradient of what it stores."""
import torch
from torch import nn
from torch.nn.utils import parametrize


class Rotation(nn.Module):
    def forward(self, raw):
        skew = raw.triu(1) - raw.triu(1).transpose(-1, -2)
        return torch.linalg.matrix_exp(skew)

    def right_inverse(self, rotation):
        return torch.zeros_like(rotation)


class Chart(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.turn = nn.Linear(width, width, bias=False)
        parametrize.register_parametrization(self.turn, "weight", Rotation())
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, star):
        return self.turn(star) + self.shift


def broken():
    chart = Chart()
    stored = chart.turn.parametrizations.weight.original
    with torch.no_grad():
        stored.copy_(0.2 * torch.sin(torch.arange(9.0)).view(3, 3))
    optimizer = torch.optim.Adam(chart.parameters(), lr=0.02)
    for step in range(4):
        star = torch.sin(torch.arange(15.0).view(5, 3) + step)
        with parametrize.cached():
            loss = (chart(star) - star.roll(1, dims=1)).square().mean()
            loss = loss + 0.01 * (chart.turn.weight - torch.eye(3)).abs().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            chart.shift.clamp_(-0.5, 0.5)
    return {"chart.shift": chart.shift.grad, "chart.turn.parametrizations.weight.original": stored.grad}


if __name__ == "__main__":
    print(broken())
