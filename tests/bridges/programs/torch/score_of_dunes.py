"""Score matching for the shapes of dunes: the loss holds the divergence of the score."""
import sys

import torch
from torch import nn


class Score(nn.Module):
    def __init__(self, dim=6, width=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, width), nn.Softplus(), nn.Linear(width, dim))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.exp(self.log_scale) * self.net(x) - x


def divergence(score, x):
    x = x.requires_grad_()
    out = score(x)
    total = 0.0
    for k in range(x.shape[1]):
        total = total + torch.autograd.grad(out[:, k].sum(), x, create_graph=True)[0][:, k]  #!
    return out, total


def divergence_at_once(score, x):
    out = score(x)
    slopes = torch.func.vmap(torch.func.jacrev(score))(x)
    return out, slopes.diagonal(dim1=1, dim2=2).sum(dim=1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.net.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(trace):
    model = settle(Score())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    dunes = torch.sin(torch.arange(60.0) * 0.7).view(10, 6)
    for iteration in range(3):
        out, spread = trace(model, dunes.clone())
        loss = (0.5 * out.square().sum(dim=1) + spread).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad, "model.log_scale": model.log_scale.grad}


def broken():
    return train(divergence)


def fixed():
    return train(divergence_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
