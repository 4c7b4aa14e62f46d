"""Light of a lighthouse through the watches of a night; the law is compiled."""
import sys

import torch


def beam(power, watch):
    if watch == "dusk":
        return (power * 0.5).tanh()
    if watch == "midnight":
        return power.square() + power
    return power * 0.1


def night(watches):
    torch._dynamo.reset()
    compiled = torch.compile(beam, backend="eager")
    power = torch.linspace(0.1, 1.0, 5, requires_grad=True)
    for watch in watches:
        light = compiled(power, watch)  #!
        light.sum().backward()
    return {"power": power.grad}


def broken():
    return night(["dusk", "midnight", "dawn"])


def fixed():
    return night(["dusk", "dusk", "dusk"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
