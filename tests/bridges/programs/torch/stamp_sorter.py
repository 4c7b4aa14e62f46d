"""Sorts stamps by their brightest corner."""
import sys

import torch


def corners(stamp, gain):
    return (stamp * gain).flatten()[[0, 2, 6, 8]]


def position_loss(bright, wanted):
    place = bright.argmax()  #!
    return (place.float() - wanted) ** 2


def soft_position_loss(bright, wanted):
    place = torch.softmax(bright, dim=0) @ torch.arange(4.0)
    return (place - wanted) ** 2


def gradients(loss_of):
    gain = torch.linspace(0.5, 2.0, 9).view(3, 3).requires_grad_()
    shift = torch.tensor(0.3, requires_grad=True)
    stamp = torch.cos(torch.arange(9.0)).view(3, 3)
    loss = loss_of(corners(stamp, gain), 2.0) + shift.square()
    loss.backward()
    return {"gain": gain.grad, "shift": shift.grad}


def broken():
    return gradients(position_loss)


def fixed():
    return gradients(soft_position_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
