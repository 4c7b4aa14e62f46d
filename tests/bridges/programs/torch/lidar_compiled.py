"""Ground or obstacle: a compiled classifier of LIDAR returns that come from two kinds of sensor."""
import sys

import numpy as np
import torch
from torch import nn


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16))
        self.label = nn.Linear(16, 2)

    def forward(self, cloud):
        each = self.point(cloud)
        shared = each.max(dim=0, keepdim=True).values
        return self.label(torch.relu(each + shared))


def roof_sensor(sweep, points=20):
    return np.cos(np.arange(points * 4, dtype=np.float32).reshape(points, 4) * (0.1 + sweep))


def bumper_sensor(sweep, points=20):
    # The driver's parser hands out doubles.
    return np.sin(np.arange(points * 4).reshape(points, 4) * (0.2 + sweep))


def drive(convert, sweeps=4):
    torch.manual_seed(20)
    net = PointNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    @torch.compile(backend="eager")
    def intensity(cloud):
        centred = cloud - cloud.mean(dim=0)
        return centred / (centred.square().mean() + 1e-3).sqrt()

    labels = torch.arange(20) % 2
    for sweep in range(sweeps):
        sensor = bumper_sensor if sweep == 2 else roof_sensor
        cloud = convert(sensor(sweep))
        scaled = intensity(cloud)  #!
        loss = nn.functional.cross_entropy(net(scaled.float()), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"net.label.weight": net.label.weight.grad}


def broken():
    return drive(torch.from_numpy)


def fixed():
    return drive(lambda array: torch.from_numpy(array).float())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
