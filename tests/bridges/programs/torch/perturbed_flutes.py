"""How robust is a classifier of flutes? The smallest perturbation of a recording is searched by gradients."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def listener():
    torch.manual_seed(5)
    net = nn.Sequential(
        nn.Conv1d(1, 4, 5, stride=2), nn.LeakyReLU(0.1), nn.AdaptiveAvgPool1d(3), nn.Flatten(), nn.Linear(12, 3)
    )
    return net.eval().requires_grad_(False)


def start_from(sound, spread):
    noise = torch.sin(torch.arange(sound.numel()) * 1.7).view_as(sound)
    return torch.zeros_like(sound, requires_grad=True) + spread * noise  #!


def start_as_leaf(sound, spread):
    noise = torch.sin(torch.arange(sound.numel()) * 1.7).view_as(sound)
    return (spread * noise).requires_grad_()


def attack(start):
    net = listener()
    sound = torch.sin(torch.arange(2 * 32) * 0.4).view(2, 1, 32)
    label = torch.tensor([0, 2])
    delta = start(sound, 1e-2)  #~
    logits = net(sound + delta)
    loss = -F.cross_entropy(logits, label) + 0.1 * delta.square().sum()
    loss.backward()
    return {"delta": delta.grad}


def broken():
    return attack(start_from)


def fixed():
    return attack(start_as_leaf)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
