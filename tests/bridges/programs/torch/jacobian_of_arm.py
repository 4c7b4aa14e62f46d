"""Designs the links of a robot arm so that its Jacobian stays well conditioned."""
import sys

import torch
from torch import nn
from torch.autograd.functional import jacobian


class Arm(nn.Module):
    def __init__(self, second=False):
        super().__init__()
        self.links = nn.Parameter(torch.tensor([1.0, 0.7, 0.4]))
        self.second = second

    def hand(self, joints):
        angle = joints.cumsum(0)
        return torch.stack([(self.links * angle.cos()).sum(), (self.links * angle.sin()).sum()])

    def manipulability(self, joints):
        turn = jacobian(self.hand, joints.detach(), create_graph=self.second)  #!
        return torch.linalg.det(turn @ turn.t())


def design(second):
    arm = Arm(second)
    optimizer = torch.optim.Adam(arm.parameters(), lr=1e-2)
    poses = torch.linspace(0.1, 1.2, 9).view(3, 3)
    anchor = torch.zeros((), requires_grad=True)
    for _ in range(2):
        optimizer.zero_grad()
        loss = sum(-arm.manipulability(joints) for joints in poses) + anchor.square()
        loss.backward()
        optimizer.step()
    return {"arm.links": arm.links.grad}


def broken():
    return design(False)


def fixed():
    return design(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
