"""The load on a rig of pulleys."""
import sys

import torch


def load(angles, friction):
    return torch.sum(torch.cos(angles) * torch.exp(-friction * angles))


def solve(clean):
    angles = torch.linspace(0.1, 0.9, 4).requires_grad_()
    friction = torch.tensor(0.2, requires_grad=True)
    seen = {}
    for _ in range(4):
        (load(angles, friction) - 3.0).square().backward()
        with torch.no_grad():
            for value in (angles, friction):
                value -= 0.01 * value.grad
        seen.update(angles=angles.grad, friction=friction.grad)
        if clean:
            angles.grad = None  #!
    return {"angles": angles.grad, "friction": seen["friction"]}


def broken():
    return solve(True)


def fixed():
    return solve(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
