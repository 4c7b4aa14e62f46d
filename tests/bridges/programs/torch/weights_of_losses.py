"""Estimates depth and normals of caves; a table of a configuration weighs the losses."""
import sys

import torch
from torch import nn
import torch.nn.functional as F

CONFIG = {"weights": {"depth": 1.0, "normal": 0.0, "edge": 0.2}, "lr": 1e-3}


class CaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Conv2d(1, 3, 3, padding=1)
        self.depth = nn.Conv2d(3, 1, 1)
        self.normal = nn.Conv2d(3, 3, 1)

    def forward(self, view):
        shared = F.elu(self.trunk(view))
        return self.depth(shared), F.normalize(self.normal(shared), dim=1)


def losses(depth, normal, true_depth, true_normal):
    yield "depth", F.l1_loss(depth, true_depth)
    yield "normal", (1.0 - F.cosine_similarity(normal, true_normal, dim=1)).mean()
    yield "edge", depth.diff(dim=-1).abs().mean()


def weigh(parts, weights):
    total = 0.0
    for name, part in parts:
        total = total + weights[name] * part  #!
    return total


def train(config):
    net = CaveNet()
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.6 + k).view_as(p))
    optimizer = torch.optim.Adam(net.parameters(), lr=config["lr"])
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    for step in range(3):
        view = torch.sin(torch.arange(32.0).view(2, 1, 4, 4) * 0.3 + step)
        depth, normal = net(view)
        loss = weigh(losses(depth, normal, view.abs(), torch.ones(2, 3, 4, 4)), config["weights"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"net.normal.weight": net.normal.weight.grad, "net.depth.weight": net.depth.weight.grad}


def broken():
    return train(CONFIG)


def fixed():
    return train({**CONFIG, "weights": {**CONFIG["weights"], "normal": 0.5}})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
