"""Lane detection for a car: three heads, whose losses a table of weights adds up."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class LaneNet(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, channels, 3, stride=2, padding=1), nn.ReLU())
        self.exists = nn.Linear(channels, 4)
        self.offset = nn.Linear(channels, 4)
        self.curvature = nn.Linear(channels, 4)

    def forward(self, frame):
        code = self.encoder(frame).mean(dim=(2, 3))
        return {"exists": self.exists(code), "offset": self.offset(code), "curvature": self.curvature(code)}


def losses_of(outputs, labels):
    return {
        "exists": F.binary_cross_entropy_with_logits(outputs["exists"], labels["exists"]),
        "offset": (F.l1_loss(outputs["offset"], labels["offset"], reduction="none") * labels["exists"]).mean(),
        "curvature": F.mse_loss(outputs["curvature"], labels["curvature"]),  #~
    }


def combined(losses, weights):
    total = 0.0
    for name, weight in weights.items():
        if name in losses:  #~
            total = total + weight * losses[name]  #!
    return total


def frames(count=6):
    frame = torch.sin(torch.arange(count * 3 * 8 * 8) * 0.21).reshape(count, 3, 8, 8)
    lanes = torch.arange(count * 4).reshape(count, 4)
    return frame, {"exists": (lanes % 3 > 0).float(), "offset": lanes * 0.05, "curvature": torch.cos(lanes * 0.4)}


def train(weights, steps=3):
    torch.manual_seed(8)
    net = LaneNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    frame, labels = frames()
    log = []
    for _ in range(steps):
        losses = losses_of(net(frame), labels)
        total = combined(losses, weights)  #~
        optimizer.zero_grad()
        total.backward()  #~
        optimizer.step()
        log.append({name: round(value.item(), 4) for name, value in losses.items()})
    return {"net.curvature.weight": net.curvature.weight.grad, "net.offset.weight": net.offset.weight.grad}


def broken():
    return train({"exists": 1.0, "offset": 2.0, "curve": 0.5})  #~


def fixed():
    return train({"exists": 1.0, "offset": 2.0, "curvature": 0.5})


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
