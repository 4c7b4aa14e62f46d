"""Masses that hang from a mobile, found from where its arms come to rest."""
import sys

import torch


def positive(start):
    return torch.tensor(start, requires_grad=True).exp()  #!


def leaf(start):
    return torch.tensor(start).exp().requires_grad_()


class Mobile:
    def __init__(self, make):
        self.masses = [make(start) for start in (0.1, -0.3, 0.5)]
        self.friction = torch.tensor(0.2, requires_grad=True)

    def tilt(self, arms):
        total = torch.zeros(())
        for mass, arm in zip(self.masses, arms):
            total = total + mass * arm
        return torch.atan(total / (sum(self.masses) + self.friction))


def hang(make):
    mobile = Mobile(make)
    heaviest = mobile.masses[2]
    loss = torch.zeros(())
    for arms, seen in [((0.5, -0.2, -0.1), 0.1), ((0.1, 0.3, -0.4), -0.05)]:
        loss = loss + (mobile.tilt(arms) - seen) ** 2
    loss.backward()
    return {"heaviest": heaviest.grad, "mobile.friction": mobile.friction.grad}


def broken():
    return hang(positive)


def fixed():
    return hang(leaf)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
