"""Optimises where the rungs of a climbing frame go."""
import sys

import torch


class Frame:
    def __init__(self, rungs):
        self.rungs = rungs

    def gaps(self):
        ends = torch.cat([torch.zeros(1), self.rungs, torch.full((1,), 20.0)])
        return ends.diff()

    def discomfort(self, reach):
        return (self.gaps() - reach).square().sum() + 0.1 * self.gaps().neg().relu().sum()


def even(count):
    heights = torch.arange(2, 2 + 3 * count, 3)  #!
    return heights


def placed(count):
    return torch.arange(2.0, 2 + 3 * count, 3)


def climb(place):
    rungs = place(5)
    rungs.requires_grad_(True)  #~
    frame = Frame(rungs)
    optimizer = torch.optim.SGD([rungs], lr=0.05)
    for reach in (3.1, 3.3, 3.5):
        optimizer.zero_grad()
        loss = frame.discomfort(reach)
        loss.backward()
        optimizer.step()
    return {"rungs": rungs.grad}


def broken():
    return climb(even)


def fixed():
    return climb(placed)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
