"""Two losses of a greenhouse model over the same features."""
import sys

import torch


def features(light, growth):
    return torch.tanh(light * growth)


def fit(ask):
    growth = torch.linspace(0.2, 1.0, 5).requires_grad_()
    shade = torch.tensor(0.4, requires_grad=True)
    light = torch.linspace(1.0, 3.0, 5)
    shared = features(light, growth)  #~
    height = (shared.sum() - 2.0).square()
    leaves = (shared * shade - 0.5).square().mean()  #!
    ask(height, leaves)
    return {"growth": growth.grad, "shade": shade.grad}


def broken():
    def one_by_one(height, leaves):
        height.backward()
        leaves.backward()  #~

    return fit(one_by_one)


def fixed():
    return fit(lambda height, leaves: (height + leaves).backward())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
