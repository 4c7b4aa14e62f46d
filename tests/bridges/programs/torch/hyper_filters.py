"""A hypernetwork writes the filter of a seismograph from the soil's properties."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class HyperNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 4)
        self.second = nn.Linear(4, 3)

    def forward(self, soil):
        return self.second(torch.tanh(self.first(soil)))


class Seismograph(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding=1)

    def forward(self, trace, kernel):
        self.conv.weight = nn.Parameter(kernel.view(1, 1, 3))  #!
        return self.conv(trace)


class FunctionalSeismograph(Seismograph):
    def forward(self, trace, kernel):
        return F.conv1d(trace, kernel.view(1, 1, 3), self.conv.bias, padding=1)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.7 + k + 1).view_as(p))
    return model


def fit(kind):
    hyper = initialise(HyperNet())
    station = initialise(kind())
    optimizer = torch.optim.Adam([*hyper.parameters(), station.conv.bias], lr=0.01)
    soil = torch.tensor([0.4, 1.3])
    trace = torch.sin(torch.linspace(0.0, 9.0, 16)).view(1, 1, 16)
    wanted = torch.roll(trace, 1, dims=2)
    for _ in range(2):
        loss = F.mse_loss(station(trace, hyper(soil)), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"hyper.first.weight": hyper.first.weight.grad, "station.conv.bias": station.conv.bias.grad}


def broken():
    return fit(Seismograph)


def fixed():
    return fit(FunctionalSeismograph)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
