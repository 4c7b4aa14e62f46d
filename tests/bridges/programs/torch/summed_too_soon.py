"""Detects ships in radar pictures: a box, a class and a heading, each with a loss of its own."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
        self.heads = nn.ModuleDict({"box": nn.Linear(8, 4), "kind": nn.Linear(8, 3), "heading": nn.Linear(8, 2)})

    def forward(self, radar):
        shared = self.trunk(radar)
        return {name: head(shared) for name, head in self.heads.items()}


class Criterion:
    weights = {"box": 5.0, "kind": 1.0, "heading": 0.5}

    def total(self, losses):
        return sum(self.weights[name] * loss for name, loss in losses.items())  #~

    def __call__(self, out, box, kind, heading):
        losses = {
            "box": F.smooth_l1_loss(out["box"], box),
            "kind": F.cross_entropy(out["kind"], kind),
        }
        losses["total"] = self.total(losses)
        losses["heading"] = 1.0 - F.cosine_similarity(out["heading"], heading).mean()  #~
        return losses


class WholeCriterion(Criterion):
    def __call__(self, out, box, kind, heading):
        losses = {
            "box": F.smooth_l1_loss(out["box"], box),
            "kind": F.cross_entropy(out["kind"], kind),
            "heading": 1.0 - F.cosine_similarity(out["heading"], heading).mean(),
        }
        losses["total"] = self.total(losses)
        return losses


def targets(step):
    radar = torch.sin(torch.arange(30.0).view(5, 6) * 0.4 + step)
    angle = radar.sum(dim=1)
    return radar, radar[:, :4].abs(), torch.arange(5) % 3, torch.stack([angle.cos(), angle.sin()], dim=1)


def train(criterion):
    model = Detector()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    curve = []
    for step in range(3):
        radar, *wanted = targets(step)
        losses = criterion(model(radar), *wanted)
        optimizer.zero_grad()
        losses["total"].backward()  #!
        optimizer.step()
        curve.append({name: loss.item() for name, loss in losses.items()})
    return {
        "model.heads.heading.weight": model.heads["heading"].weight.grad,
        "model.heads.box.weight": model.heads["box"].weight.grad,
        "model.trunk.0.weight": model.trunk[0].weight.grad,
    }


def broken():
    return train(Criterion())


def fixed():
    return train(WholeCriterion())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
