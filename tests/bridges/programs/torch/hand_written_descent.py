"""Fits how the height of a candle depends on time, with a gradient descent written by hand."""
import sys

import torch


def measurements(count=20):
    t = torch.linspace(0, 2, count)
    return t, 3.0 - 1.2 * t + 0.05 * torch.sin(9 * t)


def predict(t, line):
    return line[0] + line[1] * t


def misfit(guess, height):
    return (guess - height).square().mean()


def slope_of(loss, parameters):
    slope, = torch.autograd.grad(loss, parameters)
    return slope / slope.norm().clamp(min=1.0)


def descend_by_name(rate, steps):
    t, height = measurements()
    line = torch.zeros(2, requires_grad=True)
    history = []
    for step in range(steps):
        loss = misfit(predict(t, line), height)
        slope = slope_of(loss, line)
        history.append(loss.item())
        with torch.no_grad():  #~
            line = line - rate * slope  #!
    return {"line": slope}


def descend_in_place(rate, steps):
    t, height = measurements()
    line = torch.zeros(2, requires_grad=True)
    history = []
    for step in range(steps):
        loss = misfit(predict(t, line), height)
        slope = slope_of(loss, line)
        history.append(loss.item())
        with torch.no_grad():
            line -= rate * slope
    return {"line": slope}


def broken():
    return descend_by_name(rate=0.1, steps=5)


def fixed():
    return descend_in_place(rate=0.1, steps=5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
