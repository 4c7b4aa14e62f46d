"""Compiled encoder of crops from a herbarium; each crop has another size."""
import sys

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3)
        self.head = nn.Linear(3, 2)

    def forward(self, crop):
        return self.head(torch.relu(self.conv(crop)).amax(dim=(2, 3)))


def crops(padded):
    for size in (6, 8, 10):
        crop = torch.sin(torch.arange(2.0 * size * size)).view(2, 1, size, size)
        yield nn.functional.pad(crop, (0, 10 - size, 0, 10 - size)) if padded else crop


def train(padded):
    torch.manual_seed(0)
    encoder = Encoder()
    fast = torch.compile(encoder, backend="eager", dynamic=False)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    for crop in crops(padded):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(fast(crop), torch.tensor([0, 1]))  #!
        loss.backward()
        optimizer.step()
    return {"encoder.conv.weight": encoder.conv.weight.grad}


def broken():
    return train(padded=False)


def fixed():
    return train(padded=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
