"""Classifies sea glass by colour; a probe records the features of the stem for a report."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class SeaGlass(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.GELU(), nn.Conv2d(4, 4, 3, padding=1))
        self.head = nn.Linear(4, 3)

    def forward(self, pictures):
        return self.head(F.silu(self.stem(pictures)).mean(dim=(2, 3)))


class Probe:
    def __init__(self, module):
        self.rows = []
        module.register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        feature = output.detach()  #!
        self.rows.append(feature)
        return feature

    @torch.no_grad()
    def report(self):
        return torch.cat(self.rows).mean(dim=(0, 2, 3))


class QuietProbe(Probe):
    def keep(self, module, inputs, output):
        self.rows.append(output.detach())


def train(probing):
    torch.manual_seed(8)
    model = SeaGlass()
    probe = probing(model.stem)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    pictures = torch.sin(torch.arange(6 * 3 * 16.0) * 0.3).view(6, 3, 4, 4)
    colours = torch.arange(6) % 3
    for rows in torch.arange(6).split(3):
        optimizer.zero_grad()
        F.cross_entropy(model(pictures[rows]), colours[rows]).backward()
        optimizer.step()
    probe.report()
    return {
        "model.stem.0.weight": model.stem[0].weight.grad,
        "model.stem.2.bias": model.stem[2].bias.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    return train(Probe)


def fixed():
    return train(QuietProbe)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
