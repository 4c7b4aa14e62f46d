"""A sundial's style is fitted to its shadows; distances are kept in a table of NumPy's."""
import sys

import numpy as np
import torch
from torch import nn


class Style(nn.Module):
    def __init__(self):
        super().__init__()
        self.height = nn.Parameter(torch.tensor(1.5))
        self.tilt = nn.Parameter(torch.tensor(0.6))

    def shadow(self, hours):
        angle = (hours - 12) * torch.pi / 12
        return self.height * torch.tan(angle) * torch.sin(self.tilt)


def error_by_numpy(shadow, seen):
    gap = np.abs(shadow.detach().numpy() - seen.numpy())  #!
    return torch.from_numpy(gap).mean()  #~


def error(shadow, seen):
    return (shadow - seen).abs().mean()


def fit(measure):
    style = Style()
    optimizer = torch.optim.Adam(style.parameters(), lr=0.05)
    hours = torch.tensor([9.0, 10.0, 11.0, 13.0, 14.0])
    seen = torch.tensor([-0.8, -0.45, -0.2, 0.22, 0.5])
    for _ in range(2):
        optimizer.zero_grad()
        measure(style.shadow(hours), seen).backward()
        optimizer.step()
    return {"style.height": style.height.grad}


def broken():
    return fit(error_by_numpy)


def fixed():
    return fit(error)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
