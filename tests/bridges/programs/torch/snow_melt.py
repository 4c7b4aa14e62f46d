"""Melt water below a snow field."""
import sys

import torch


def melt(temperature, degree_day, refreeze):
    if temperature.mean() > 0.0:  #!
        return degree_day * temperature.clamp(min=0.0)
    return refreeze * temperature  #~


def runoff(temperatures):
    degree_day = torch.tensor(4.0, requires_grad=True)
    refreeze = torch.tensor(0.5, requires_grad=True)  #~
    total = torch.zeros(())
    for temperature in temperatures:
        total = total + melt(temperature, degree_day, refreeze).sum()
    total.backward()
    return {"degree_day": degree_day.grad, "refreeze": refreeze.grad}


def broken():
    return runoff([torch.tensor([1.0, 3.0]), torch.tensor([-1.0, 2.0])])


def fixed():
    return runoff([torch.tensor([1.0, 3.0]), torch.tensor([-5.0, 2.0])])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
