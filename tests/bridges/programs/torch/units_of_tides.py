"""Heights with a unit, by a subclass of Tensor that knows how to convert."""
import sys

import torch
from torch import nn


class Length(torch.Tensor):
    unit = "m"

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        found = super().__torch_function__(function, types, args, kwargs or {})
        if isinstance(found, Length):
            found.unit = next((a.unit for a in args if isinstance(a, Length)), "m")
        return found

    def in_feet(self):
        feet = (self.data * 3.2808).as_subclass(Length)  #!
        feet.unit = "ft"
        return feet


class Converted(Length):
    def in_feet(self):
        feet = self * 3.2808
        feet.unit = "ft"
        return feet


class Tide(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.moon = nn.Parameter(torch.tensor([1.2, 0.4, 0.3]))
        self.offset = nn.Parameter(torch.tensor(0.1))

    def forward(self, hours):
        waves = torch.stack([torch.cos(0.5 * (k + 1) * hours) for k in range(3)], dim=1)
        height = (waves @ self.moon).as_subclass(self.kind)
        return height.in_feet().as_subclass(torch.Tensor) + self.offset


def fit(kind):
    tide = Tide(kind)
    optimizer = torch.optim.RAdam(tide.parameters(), lr=1e-2)
    hours = torch.linspace(0, 24, 20)
    gauge = 3 * torch.cos(0.5 * hours) + 1
    for _ in range(2):
        optimizer.zero_grad()
        (tide(hours) - gauge).square().mean().backward()
        optimizer.step()
    return {"tide.moon": tide.moon.grad, "tide.offset": tide.offset.grad}


def broken():
    return fit(Length)


def fixed():
    return fit(Converted)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
