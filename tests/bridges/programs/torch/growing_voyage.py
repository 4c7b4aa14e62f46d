"""A compiled policy that looks back on the whole voyage."""
import sys

import torch
from torch import nn


class Helm(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Linear(3, 4)
        self.steer = nn.Linear(4, 1)

    def forward(self, waves, past):
        seen = torch.tanh(self.look(waves))
        for memory in past:
            seen = seen + 0.5 * memory
        return self.steer(seen).mean(), seen


def sail(keep):
    torch.manual_seed(0)
    helm = Helm()
    policy = torch.compile(helm, backend="eager")
    optimizer = torch.optim.SGD(helm.parameters(), lr=0.01)
    past = [torch.zeros(2, 4)] * keep
    for hour in range(4):
        course, seen = policy(torch.sin(torch.arange(6.0) + hour).view(2, 3), past)  #!
        optimizer.zero_grad()
        course.square().backward()
        optimizer.step()
        past = [*past, seen.detach()][-keep:] if keep else [*past, seen.detach()]
    return {"helm.look.weight": helm.look.weight.grad}


def broken():
    return sail(keep=0)


def fixed():
    return sail(keep=2)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
