"""What a windmill grinds, and how its brake bears on it."""
import sys

import torch


def power(speed, pitch):
    return speed**3 * torch.sin(pitch) ** 2


def study(grind):
    speed = torch.tensor(6.0, requires_grad=True)
    pitch = torch.tensor(0.4, requires_grad=True)
    brake = torch.tensor(0.3, requires_grad=True)
    raw = power(speed, pitch)
    braked = raw * (1.0 - brake)
    flour = grind(raw, braked)  #~
    slopes = torch.autograd.grad(flour, (speed, pitch, brake), allow_unused=True)
    return dict(zip(("speed", "pitch", "brake"), slopes))


def broken():
    return study(lambda raw, braked: torch.sqrt(raw))  #!


def fixed():
    return study(lambda raw, braked: torch.sqrt(braked))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
