"""Fuzzy control of a greenhouse: memberships are ramps between 0 and 1, whose feet and widths are learned."""
import sys

import torch
from torch import nn


class Ramp(nn.Module):
    def __init__(self, foot, width):
        super().__init__()
        self.foot = nn.Parameter(torch.tensor(foot))
        self.width = nn.Parameter(torch.tensor(width))

    def forward(self, x):
        return torch.clamp((x - self.foot) / self.width, 0.0, 1.0)  #!


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.warm = Ramp(20.0, 5.0)
        self.dry = Ramp(0.3, 0.4)
        self.window = nn.Parameter(torch.tensor([0.2, 0.9]))

    def forward(self, degrees, dryness):
        warm, dry = self.warm(degrees), self.dry(dryness)
        return self.window[0] * dry + self.window[1] * warm


def celsius(hours):
    return 21.0 + 3.0 * torch.sin(hours * 0.26)


def kelvin(hours):
    return celsius(hours) + 273.15  #~


def day(temperature):
    hours = torch.arange(24, dtype=torch.float32)
    dryness = 0.5 + 0.1 * torch.cos(hours * 0.26)
    wanted = 0.5 + 0.4 * torch.sin(hours * 0.26)
    return temperature(hours), dryness, wanted


def tune(temperature, rounds=4):
    controller = Controller()
    optimizer = torch.optim.Rprop(controller.parameters(), lr=0.01)
    degrees, dryness, wanted = day(temperature)
    for _ in range(rounds):
        loss = (controller(degrees, dryness) - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "controller.warm.foot": controller.warm.foot.grad,
        "controller.dry.foot": controller.dry.foot.grad,
        "controller.window": controller.window.grad,
    }


def broken():
    return tune(kelvin)


def fixed():
    return tune(celsius)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
