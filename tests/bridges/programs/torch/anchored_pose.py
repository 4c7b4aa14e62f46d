"""Skeletons of newts are fitted to pictures; the root joint is pinned to the origin in every iteration."""
import sys

import torch
from torch import nn


class Skeleton(nn.Module):
    def __init__(self, joints=5):
        super().__init__()
        self.offsets = nn.Parameter(torch.sin(torch.arange(2.0 * joints)).view(joints, 2))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def pinned(self):
        self.offsets[0] = 0.0  #!
        return self.offsets

    def forward(self):
        return self.log_scale.exp() * self.pinned().cumsum(0)


class MaskedSkeleton(Skeleton):
    def __init__(self, joints=5):
        super().__init__(joints)
        free = torch.ones(joints, 1)
        free[0] = 0
        self.register_buffer("free", free)

    def pinned(self):
        return self.offsets * self.free


class BoneLengths:
    """Bones do not change their length from one picture to the next."""

    def __init__(self, weight):
        self.weight, self.reference = weight, None

    def __call__(self, joints):
        lengths = (joints[1:] - joints[:-1]).norm(dim=1)
        if self.reference is None:
            self.reference = lengths.detach()
        return self.weight * (lengths - self.reference).square().sum()


def pictures(count=3, joints=5):
    base = torch.linspace(0, 1, joints)
    return [torch.stack([base, (base * (k + 1)).sin()], 1) for k in range(count)]


def follow(kind):
    skeleton, bones = kind(), BoneLengths(0.1)
    optimizer = torch.optim.Rprop(skeleton.parameters(), lr=1e-3)
    for picture in pictures():
        for _ in range(2):
            optimizer.zero_grad()
            joints = skeleton()
            loss = (joints - picture).abs().mean() + bones(joints)
            loss.backward()
            optimizer.step()
    return {"skeleton.offsets": skeleton.offsets.grad, "skeleton.log_scale": skeleton.log_scale.grad}


def broken():
    return follow(Skeleton)


def fixed():
    return follow(MaskedSkeleton)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
