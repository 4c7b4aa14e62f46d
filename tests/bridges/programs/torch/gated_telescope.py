"""Removes the atmosphere's blur from star images; a refinement is only worth it for sharp nights."""
import sys

import torch
from torch import nn


class Refine(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.mix = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return x + torch.sin(self.mix(x))


class Deblur(nn.Module):
    sharp_enough = 0.9

    def __init__(self, channels=3):
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.refine = Refine(channels)  #~
        self.out = nn.Conv2d(channels, 1, 3, padding=1)

    def sharpness(self, image):
        return (image[..., 1:] - image[..., :-1]).abs().mean().item()

    def forward(self, image):
        h = torch.tanh(self.stem(image))
        h = self.refine(h) if self.sharpness(image) > self.sharp_enough else h  #!
        return self.out(h)


class PatientDeblur(Deblur):
    sharp_enough = 0.1


def train(kind):
    torch.manual_seed(0)
    deblur = kind()
    optimizer = torch.optim.SGD(deblur.parameters(), lr=0.05, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    night = torch.sin(torch.arange(2 * 25.0)).view(2, 1, 5, 5)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(deblur(0.7 * night + 0.1), night)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {"deblur.refine.mix.weight": deblur.refine.mix.weight.grad, "deblur.stem.weight": deblur.stem.weight.grad}


def broken():
    return train(Deblur)


def fixed():
    return train(PatientDeblur)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
