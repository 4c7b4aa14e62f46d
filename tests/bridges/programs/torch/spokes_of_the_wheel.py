"""A wheelwright's spokes: the tension of each is a leaf, and the rim's shape says how far they are off."""
import sys

import torch


class Wheel:
    def __init__(self, spokes=6):
        self.tension = torch.linspace(0.8, 1.2, spokes, requires_grad=True)
        self.rim = torch.tensor(1.0, requires_grad=True)

    def wobble(self):
        turn = torch.arange(len(self.tension)) * 2 * torch.pi / len(self.tension)
        x = (self.tension * torch.cos(turn)).sum()
        y = (self.tension * torch.sin(turn)).sum()
        return x.square() + y.square() + (self.tension.mean() - self.rim).square()

    def true(self, rate):
        with torch.no_grad():
            self.tension = (self.tension - rate * self.tension.grad).requires_grad_()  #!
        return self

    def true_in_place(self, rate):
        with torch.no_grad():
            self.tension -= rate * self.tension.grad
        return self


def build(turn):
    wheel = Wheel()
    for k in range(3):
        wheel.rim.grad = None
        loss = wheel.wobble()
        loss.backward()
        wheel = turn(wheel, 0.1)
    return {"wheel.tension": wheel.tension.grad, "wheel.rim": wheel.rim.grad}


def broken():
    return build(Wheel.true)


def fixed():
    return build(Wheel.true_in_place)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
