"""Range of the tide: a plane vector becomes an amplitude."""
import sys

import torch
from torch import nn


class Swell(nn.Module):
    def __init__(self):
        super().__init__()
        self.plane = nn.Linear(3, 2, bias=False)
        self.offset = nn.Parameter(torch.tensor(0.2))

    def forward(self, tide):
        x, y = self.plane(tide).unbind(dim=1)
        return torch.hypot(x, y) + self.offset  #!


def step(first):
    model = Swell()
    with torch.no_grad():
        model.plane.weight.copy_(torch.tensor([[1.0, 0.5, 0.2], [0.3, 0.9, 0.1]]))
    tide = torch.sin(torch.arange(12.0)).view(4, 3)
    tide[0] = first
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loss = (model(tide) - 0.5).square().mean()
    loss.backward()
    optimizer.step()
    return {"model.plane.weight": model.plane.weight.grad}


def broken():
    return step(first=0.0)


def fixed():
    return step(first=0.4)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
