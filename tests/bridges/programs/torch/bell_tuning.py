"""Tunes a bell: the partials come from a peak search in NumPy."""
import sys

import numpy as np
import torch


class Bell:
    def __init__(self):
        self.thickness = torch.linspace(1.0, 2.0, 4).requires_grad_()
        self.tone = torch.tensor(0.5, requires_grad=True)

    def profile(self):
        return self.thickness.sqrt() * 110.0

    def partials(self):
        frequencies = self.profile().detach().numpy()  #!
        return torch.from_numpy(np.sort(frequencies))  #~

    def strike(self):
        return self.partials() * torch.sigmoid(self.tone)


class TorchBell(Bell):
    def partials(self):
        return torch.sort(self.profile()).values


def mistuning(bell):
    wanted = torch.tensor([60.0, 72.0, 85.0, 96.0])
    return ((bell.strike() - wanted) / 100.0).square().sum()


def gradients(bell):
    thickness = bell.thickness
    mistuning(bell).backward()
    return {"thickness": thickness.grad, "tone": bell.tone.grad}


def broken():
    return gradients(Bell())


def fixed():
    return gradients(TorchBell())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
