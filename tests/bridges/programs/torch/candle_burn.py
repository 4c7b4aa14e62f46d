"""How long a candle burns: descent on wick and wax by hand."""
import sys

import torch


def hours(wick, wax):
    return torch.log1p(wax) / (0.1 + wick)


def descend(update):
    wick = torch.tensor(0.5, requires_grad=True)
    wax = torch.tensor(30.0, requires_grad=True)
    for _ in range(3):
        wick.grad = wax.grad = None
        miss = (hours(wick, wax) - 4.0) ** 2
        miss.backward()
        update(wick, wax)
    return {"wick": wick.grad, "wax": wax.grad}


def plain(wick, wax):
    wick -= 0.01 * wick.grad  #!
    wax -= 0.01 * wax.grad


@torch.no_grad()
def unrecorded(wick, wax):
    wick -= 0.01 * wick.grad
    wax -= 0.01 * wax.grad


def broken():
    return descend(plain)


def fixed():
    return descend(unrecorded)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
