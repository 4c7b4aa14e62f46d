"""Learns where a spider builds: a soft map is sampled through grid_sample, positions come from a table."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Web(nn.Module):
    def __init__(self, anchors=4):
        super().__init__()
        self.anchors = nn.Parameter(torch.stack([torch.linspace(-0.7, 0.7, anchors), torch.linspace(0.5, -0.5, anchors)], 1))
        self.tension = nn.Parameter(torch.tensor(0.3))

    def grid(self):
        return torch.as_tensor([[x, y] for x, y in self.anchors.detach()]).view(1, -1, 1, 2)  #!

    def forward(self, branches):
        wind = F.grid_sample(branches, self.grid(), align_corners=True).flatten()
        return wind.sum() * self.tension + self.anchors.detach().diff(dim=0).norm(dim=1).sum()  #~


class DirectWeb(Web):
    def grid(self):
        return self.anchors.view(1, -1, 1, 2)


def build(kind):
    web = kind()
    optimizer = torch.optim.SGD(web.parameters(), lr=0.05)
    branches = torch.sin(torch.arange(36.0)).view(1, 1, 6, 6)
    for _ in range(2):
        optimizer.zero_grad(set_to_none=True)
        web(branches).backward()
        optimizer.step()
    return {"web.anchors": web.anchors.grad, "web.tension": web.tension.grad}


def broken():
    return build(Web)


def fixed():
    return build(DirectWeb)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
