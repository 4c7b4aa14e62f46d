"""Tuning of harp strings, compiled; now and then a reading is checked without gradients."""
import sys

import torch


@torch.compile(backend="aot_eager")
def detune(tension, length):
    return (tension.sqrt() / length - 1.0).square().mean()


def tune(numbers):
    tension = torch.linspace(0.5, 1.5, 6).requires_grad_()
    for number in numbers:
        length = torch.linspace(0.9, 1.1, 6).to(number)
        tension.grad = None
        loss = detune(tension, length)  #!
        loss.backward()
    return {"tension": tension.grad}


def broken():
    return tune([torch.float32] * 4 + [torch.float64])


def fixed():
    return tune([torch.float32] * 5)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
