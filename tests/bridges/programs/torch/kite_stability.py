"""Trims a kite: the parameters are moved to double precision for the final polish."""
import sys

import torch


class Kite:
    def __init__(self):
        self.trim = torch.tensor([0.1, -0.2, 0.3], requires_grad=True)
        self.tail = torch.tensor(0.8, requires_grad=True)

    def torque(self, wind):
        lift = torch.sin(self.trim.unsqueeze(1) + 0.2 * wind)
        return lift.sum(dim=0) - self.tail * wind * 0.1


class Polisher:
    def __init__(self, kite):
        self.kite = kite
        self.wind = torch.linspace(2.0, 9.0, 6)

    def loss(self):
        return self.kite.torque(self.wind).square().mean()

    def to_double(self):
        trim = self.kite.trim.detach().double().requires_grad_()  #!
        self.kite.trim = trim


def polish(order):
    polisher = Polisher(Kite())
    loss = None
    for step in order:
        if step == "loss":
            loss = polisher.loss()
        else:
            polisher.to_double()
    loss.backward()
    trim = polisher.kite.trim
    return {"trim": trim.grad, "tail": polisher.kite.tail.grad}


def broken():
    return polish(["loss", "double"])


def fixed():
    return polish(["double", "loss"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
