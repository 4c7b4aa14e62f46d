"""How a marionette's limbs answer to its strings: a Jacobian, row by row."""
import sys

import torch
from torch import nn


def rows(limbs, strings):
    found = []
    for i in range(limbs.numel()):
        (row,) = torch.autograd.grad(limbs[i], strings, retain_graph=True)  #!
        found.append(row)
    return torch.stack(found)


def at_once(limbs, strings):
    (whole,) = torch.autograd.grad(limbs, strings, torch.eye(limbs.numel()), is_grads_batched=True, retain_graph=True)
    return whole


class Marionette(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 24))

    def forward(self, strings):
        return torch.sin(self.body(strings))


def dance(jacobian):
    torch.manual_seed(45)
    puppet = Marionette()
    strings = torch.linspace(-1, 1, 4).requires_grad_()
    limbs = puppet(strings)
    stiffness = jacobian(limbs, strings).norm(dim=1)
    loss = (limbs * stiffness.detach()).square().mean()
    loss.backward()
    return {"puppet.body.0.weight": puppet.body[0].weight.grad}


def broken():
    return dance(rows)


def fixed():
    return dance(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
