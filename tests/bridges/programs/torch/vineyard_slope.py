"""The yield of a vineyard by slope, sun and soil, with zeros for what does not count."""
import sys

import torch


class Vineyard:
    def __init__(self):
        self.slope = torch.linspace(0.1, 0.5, 4).requires_grad_()
        self.sun = torch.tensor(1.5, requires_grad=True)
        self.soil = torch.tensor(0.7, requires_grad=True)  #!

    def ripeness(self):
        return self.sun * torch.sin(self.slope + 0.5)

    def harvest(self):
        return self.ripeness().sum()

    def rich_harvest(self):
        return (self.ripeness() * self.soil).sum()


def sensitivities(harvest):
    yard = Vineyard()
    slope, sun, soil = yard.slope, yard.sun, yard.soil
    asked = [slope, sun, soil]
    given = torch.autograd.grad(harvest(yard), asked, allow_unused=True, materialize_grads=True)
    return dict(zip(["slope", "sun", "soil"], given))


def broken():
    return sensitivities(Vineyard.harvest)


def fixed():
    return sensitivities(Vineyard.rich_harvest)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
