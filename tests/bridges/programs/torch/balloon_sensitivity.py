"""Asks how a balloon's flight depends on what can be adjusted."""
import sys

import torch


class Balloon:
    def __init__(self):
        self.heat = torch.tensor(1.4, requires_grad=True)
        self.ballast = torch.tensor(0.6, requires_grad=True)
        self.vent = torch.tensor(0.2, requires_grad=True)

    def lift(self):
        return torch.sqrt(self.heat) * 2.0 - self.ballast

    def drift(self, wind):
        return wind * torch.exp(-self.vent)

    def climb(self, seconds):
        return self.lift() * seconds - 0.05 * seconds ** 2  #!

    def climb_vented(self, seconds):
        return self.lift() * (1 - self.vent) * seconds - 0.05 * seconds ** 2


def sensitivities(climb):
    balloon = Balloon()
    sideways = balloon.drift(torch.tensor(3.0))
    height = climb(balloon, 10.0)
    knobs = {"heat": balloon.heat, "ballast": balloon.ballast, "vent": balloon.vent}
    slopes = torch.autograd.grad(height, list(knobs.values()))
    assert sideways.item() > 0
    return dict(zip(knobs, slopes))


def broken():
    return sensitivities(Balloon.climb)


def fixed():
    return sensitivities(Balloon.climb_vented)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
