"""Weaves patterns: a penalty chosen for each kind of cloth is handed to the compiled step."""
import sys

import torch
from torch import nn

PENALTIES = {"plain": lambda cloth: 0.01 * cloth.abs().sum(), "satin": lambda cloth: 0.02 * cloth.square().sum()}


def woven(cloth, pattern, penalty):
    return (cloth - pattern).square().mean() + penalty(cloth)


def weighed(cloth, pattern, plain):
    both = plain * PENALTIES["plain"](cloth) + (1 - plain) * PENALTIES["satin"](cloth)
    return (cloth - pattern).square().mean() + both


class Loom:
    step = staticmethod(woven)

    def __init__(self):
        torch.manual_seed(27)
        self.model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3))
        self.fast = torch.compile(self.step, backend="eager")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def penalty(self, kind):
        return PENALTIES[kind]

    def weave(self, pattern, kind):
        self.optimizer.zero_grad()
        loss = self.fast(self.model(pattern), pattern, self.penalty(kind))  #!
        loss.backward()
        self.optimizer.step()


class SteadyLoom(Loom):
    step = staticmethod(weighed)

    def penalty(self, kind):
        return torch.tensor(float(kind == "plain"))


def train(kind):
    torch._dynamo.reset()
    loom = kind()
    for k in range(4):
        loom.weave(torch.cos(torch.arange(6.0) + k).view(2, 3), "satin" if k % 2 else "plain")
    return {"model.0.weight": loom.model[0].weight.grad}


def broken():
    return train(Loom)


def fixed():
    return train(SteadyLoom)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
