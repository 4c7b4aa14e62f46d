"""Roughness of fields from the wind behind hedges; no wind has no root."""
import sys

import torch
from torch import nn


def safe_root(wind):
    return torch.where(wind > 0, torch.sqrt(wind * (wind > 0)), torch.zeros_like(wind))  #!


def guarded_root(wind):
    calm = wind <= 0
    return torch.where(calm, torch.zeros_like(wind), torch.sqrt(torch.where(calm, torch.ones_like(wind), wind)))


class Field(nn.Module):
    def __init__(self, root):
        super().__init__()
        self.root = root
        self.hedge = nn.ParameterDict({"height": torch.tensor(1.5), "gap": torch.tensor(0.4)})
        self.rough = nn.Linear(3, 1)

    def forward(self, wind):
        behind = wind - self.hedge["height"] * self.hedge["gap"]
        return self.rough(self.root(behind)).squeeze(-1)


def train(root):
    field = Field(root)
    with torch.no_grad():
        field.rough.weight.copy_(torch.tensor([[0.3, -0.2, 0.5]]))
        field.rough.bias.zero_()
    optimizer = torch.optim.SGD(field.parameters(), lr=0.01)
    for step in range(3):
        wind = 1.5 + torch.cos(torch.arange(12.0).view(4, 3) + step)
        loss = (field(wind) - 0.2).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"field.hedge.height": field.hedge["height"].grad, "field.hedge.gap": field.hedge["gap"].grad}


def broken():
    return train(safe_root)


def fixed():
    return train(guarded_root)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
