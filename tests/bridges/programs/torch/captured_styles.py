"""Paints in the style of a tile: activations are captured by forward hooks, Gram matrices compared."""
import sys
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Captured:
    features: dict = field(default_factory=dict)

    def hook(self, name):
        def keep(module, inputs, output):
            self.features[name] = output.detach()  #!

        return keep


@dataclass
class CapturedWithGraph(Captured):
    def hook(self, name):
        def keep(module, inputs, output):
            self.features[name] = output

        return keep


def gram(f):
    flat = f.flatten(1)
    return flat @ flat.t() / flat.numel()


def watch(net, captured):
    return [net[k].register_forward_hook(captured.hook(str(k))) for k in (0, 2)]


def paint(capture):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(3, 2, 3)).requires_grad_(False)
    tile = torch.sin(torch.arange(64.0)).view(1, 1, 8, 8)
    canvas = nn.Parameter(torch.cos(torch.arange(64.0)).view(1, 1, 8, 8))
    optimizer = torch.optim.Adam([canvas], lr=0.05)
    wanted, found = Captured(), capture()
    handles = watch(net, wanted)
    with torch.no_grad():
        net(tile)
    for handle in handles:
        handle.remove()
    watch(net, found)
    for _ in range(2):
        net(canvas)
        style = sum((gram(found.features[k][0]) - gram(wanted.features[k][0])).square().sum() for k in wanted.features)
        optimizer.zero_grad()
        style.backward()
        optimizer.step()
    return {"canvas": canvas.grad}


def broken():
    return paint(Captured)


def fixed():
    return paint(CapturedWithGraph)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
