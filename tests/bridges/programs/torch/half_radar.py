"""Radar echoes in half precision."""
import sys

import torch


def power(echo, gain):
    amplified = echo * gain
    return amplified * amplified  #!


def gradients(scale):
    gain = torch.tensor(100.0, dtype=torch.float16, requires_grad=True)
    echo = torch.tensor([1.5, 2.5, 4.0], dtype=torch.float16) * scale
    miss = power(echo, gain).float() - 90000.0
    (miss.square().mean() * 1e-9).backward()
    return {"gain": gain.grad}


def broken():
    return gradients(1.0)


def fixed():
    return gradients(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
