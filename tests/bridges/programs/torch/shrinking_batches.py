"""A compiled loss over a loader whose last batch is smaller."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tides(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(size):
    torch._dynamo.reset()
    model = settle(Tides())

    @torch.compile(backend="aot_eager")
    def tide_loss(hours, level):
        return (model(hours) - level).abs().mean()

    optimizer = torch.optim.Adamax(model.parameters(), lr=1e-2)
    hours = torch.sin(torch.arange(18.0)).view(9, 2)
    loader = DataLoader(TensorDataset(hours, hours.sum(dim=1)), batch_size=size)
    for batch, level in loader:
        optimizer.zero_grad()
        loss = tide_loss(batch, level)  #!
        loss.backward()
        optimizer.step()
    return {"model.body.0.weight": model.body[0].weight.grad}


def broken():
    return train(4)


def fixed():
    return train(3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
