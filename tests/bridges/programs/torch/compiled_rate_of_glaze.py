"""A hand-written compiled update for a model of glazes; the rate is halved by a schedule."""
import sys

import torch


def kiln_update(weight, slope, rate):
    return weight - rate * (slope + 1e-2 * weight)


def glaze_loss(weight, heat, colour):
    return (torch.tanh(heat @ weight) - colour).square().mean()


def halving(start, count):
    rate = start
    for k in range(count):
        yield rate
        if k == 1:
            rate /= 2


def as_numbers(rates):
    yield from rates


def as_tensors(rates):
    for rate in rates:
        yield torch.tensor(rate)


def fire(kind, rounds=4):
    update = torch.compile(kiln_update, backend="eager", dynamic=False)
    heat = torch.sin(torch.arange(15.0)).view(5, 3)
    colour = torch.linspace(-0.5, 0.5, 5)
    weight = torch.tensor([0.3, -0.2, 0.1], requires_grad=True)
    last = None
    for rate in kind(halving(0.4, rounds)):
        last = torch.autograd.grad(glaze_loss(weight, heat, colour), weight)[0]
        with torch.no_grad():
            weight.copy_(update(weight, last, rate))  #!
    return {"weight": last}


def broken():
    return fire(as_numbers)


def fixed():
    return fire(as_tensors)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
