"""Means over the neighbours of islands, by scatter; ferries connect most of them."""
import sys

import torch
from torch import nn


def scatter_mean(values, index, size, least=0):
    total = torch.zeros(size, values.shape[1]).index_add_(0, index, values)
    count = torch.zeros(size).index_add_(0, index, torch.ones(len(index)))
    return total / count.clamp(min=least).unsqueeze(1)  #!


class SageLayer(nn.Module):
    def __init__(self, inside, outside, least):
        super().__init__()
        self.own, self.near = nn.Linear(inside, outside), nn.Linear(inside, outside, bias=False)
        self.least = least

    def forward(self, x, edges):
        source, target = edges
        return torch.relu(self.own(x) + self.near(scatter_mean(x[source], target, len(x), self.least)))


class Islands(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.layers = nn.ModuleList([SageLayer(3, 6, least), SageLayer(6, 6, least)])
        self.out = nn.Linear(6, 1)

    def forward(self, x, edges):
        for layer in self.layers:
            x = layer(x, edges)
        return self.out(x).squeeze(-1)


FERRIES = torch.tensor([[0, 1, 1, 2, 3, 0], [1, 0, 2, 1, 0, 3]])


def predict(least):
    torch.manual_seed(0)
    model = Islands(least)
    x = torch.sin(torch.arange(15.0)).view(5, 3)
    price = x.abs().sum(dim=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x, FERRIES), price)
        loss.backward()
        optimizer.step()
    return {"model.layers.0.near.weight": model.layers[0].near.weight.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return predict(0)


def fixed():
    return predict(1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
