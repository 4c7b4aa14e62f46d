"""Tilt of a volcano's flank, squashed to a probability of an eruption."""
import sys

import torch


def probability(tilt, gain, offset):
    return torch.sigmoid(gain * tilt + offset)  #!


def gradients(scale):
    gain = torch.tensor(4.0, requires_grad=True)
    offset = torch.tensor(1.0, requires_grad=True)
    tilt = torch.tensor([120.0, 200.0, 160.0]) * scale
    erupted = torch.tensor([0.0, 1.0, 0.0])
    loss = (probability(tilt, gain, offset) - erupted).square().mean()
    loss.backward()
    return {"gain": gain.grad, "offset": offset.grad}


def broken():
    return gradients(1.0)


def fixed():
    return gradients(0.005)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
