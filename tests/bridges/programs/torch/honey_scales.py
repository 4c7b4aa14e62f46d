"""Scales calibrated with a NumPy routine."""
import sys

import torch
import torch.nn.functional as F
import numpy as np


def with_numpy(raw):
    curve = np.log1p(raw.detach().numpy())  #!
    return torch.from_numpy(curve)


def with_torch(raw):
    return torch.log1p(raw)


def train(calibrate):
    gain = torch.tensor([1.5], requires_grad=True)
    offset = torch.tensor([0.1], requires_grad=True)
    raw = torch.linspace(0.0, 2.0, 6)
    weights = calibrate(raw * gain) + offset
    loss = F.l1_loss(weights, torch.linspace(0.2, 1.9, 6))
    loss.backward()
    return {"gain": gain.grad, "offset": offset.grad}


def broken():
    return train(with_numpy)


def fixed():
    return train(with_torch)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
