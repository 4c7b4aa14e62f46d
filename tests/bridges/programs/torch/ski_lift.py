"""The busiest lift decides the queue; what does the slower one matter?"""
import sys

import torch


def queue(north, south, arrivals):
    waiting_north = arrivals / north
    waiting_south = arrivals / south
    return torch.maximum(waiting_north, waiting_south)  #!


def smooth_queue(north, south, arrivals):
    waiting = torch.stack([arrivals / north, arrivals / south])
    return torch.logsumexp(waiting, dim=0)


def slopes(queue):
    north = torch.tensor(2.0, requires_grad=True)
    south = torch.tensor(4.0, requires_grad=True)
    arrivals = torch.linspace(1.0, 5.0, 5)
    total = queue(north, south, arrivals).sum()
    return dict(zip(["north", "south"], torch.autograd.grad(total, [north, south])))


def broken():
    return slopes(queue)


def fixed():
    return slopes(smooth_queue)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
