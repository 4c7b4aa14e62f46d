"""Sensitivities of a bridge's deflection to its load and its temperature."""
import sys

import torch


def deflection(load, temperature, expands):
    stiff = 2.0 + 0.1 * torch.arange(5.0)
    bend = (load / stiff).cumsum(0)
    if expands:  #!
        bend = bend + 0.01 * (temperature - 15.0) * torch.arange(5.0)
    return bend[-1]  #~


def sensitivities(expands):
    load = torch.linspace(1, 2, 5).requires_grad_()
    temperature = torch.tensor(20.0, requires_grad=True)
    down = deflection(load, temperature, expands)
    by_load, by_temperature = torch.autograd.grad(down, [load, temperature])
    return {"load": by_load, "temperature": by_temperature}


def broken():
    return sensitivities(False)


def fixed():
    return sensitivities(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
