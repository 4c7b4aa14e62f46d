"""How warm a brick oven gets, and what the wood and the door have to do with it."""
import sys

import torch


class Oven:
    def __init__(self):
        self.loss_rate = torch.tensor(0.15, requires_grad=True)

    def warm_up(self, wood):
        return 20.0 + 180.0 * wood / (1.0 + wood)  #!

    def cool_down(self, start, minutes):
        return 20.0 + (start - 20.0) * torch.exp(-self.loss_rate * minutes)


def sensitivity(order):
    oven = Oven()
    wood = torch.tensor([1.0, 2.0, 3.0])
    if order == "first":
        wood.requires_grad_()
    start = oven.warm_up(wood)  #~
    wood.requires_grad_()  #~
    final = oven.cool_down(start, torch.tensor([5.0, 10.0, 15.0]))
    target = (final - 90.0).square().mean()
    target.backward()
    return {"wood": wood.grad, "loss_rate": oven.loss_rate.grad}


def broken():
    return sensitivity("later")


def fixed():
    return sensitivity("first")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
