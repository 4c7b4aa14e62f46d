"""Blends two forecasts of frost; the share has to stay between 0 and 1."""
import sys

import torch
from torch import nn


class Blend(nn.Module):
    def __init__(self):
        super().__init__()
        self.share = nn.Parameter(torch.tensor([0.6, 1.2]))
        self.offset = nn.Parameter(torch.zeros(2))

    def forward(self, near, far):
        self.keep_in_bounds()
        return self.share * near + (1 - self.share) * far + self.offset

    def keep_in_bounds(self):
        self.share = nn.Parameter(self.share.clamp(0, 1))  #!


class InPlace(Blend):
    def keep_in_bounds(self):
        with torch.no_grad():
            self.share.clamp_(0, 1)


def train(kind, days=4):
    blend = kind()
    weights = dict(blend.named_parameters())
    share = weights["share"]
    optimizer = torch.optim.SGD(weights.values(), lr=0.05)
    for day in range(days):
        near = torch.sin(torch.arange(10.0).view(5, 2) + day)
        far = torch.cos(torch.arange(10.0).view(5, 2) * 0.5 + day)
        optimizer.zero_grad()
        loss = (blend(near, far) - 0.7 * near - 0.2 * far).square().mean()
        loss.backward()
        optimizer.step()
    print("share", [round(v, 3) for v in share.tolist()])
    return {"share": share.grad, "blend.offset": blend.offset.grad}


def broken():
    return train(Blend)


def fixed():
    return train(InPlace)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
