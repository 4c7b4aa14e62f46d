"""Denoises the calls of bats: the loss compares spectra, not samples."""
import sys

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.conv1 = nn.Conv1d(1, width, 5, padding="same")
        self.conv2 = nn.Conv1d(width, 1, 5, padding="same")

    def forward(self, call):
        return call + self.conv2(nn.functional.gelu(self.conv1(call)))


class SpectralLoss(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("window", torch.hann_window(size))

    def spectrum(self, call):
        return torch.fft.rfft(call.squeeze(1) * self.window)

    def forward(self, found, clean):
        return (self.spectrum(found) - self.spectrum(clean)).square().mean()  #!


class PowerLoss(SpectralLoss):
    def forward(self, found, clean):
        return (self.spectrum(found) - self.spectrum(clean)).abs().square().mean()


def train(loss_kind, size=24):
    torch.manual_seed(0)
    net, criterion = Denoiser(), loss_kind(size)
    optimizer = torch.optim.NAdam(net.parameters())
    time = torch.linspace(0, 1, size)
    clean = torch.stack([torch.sin(40 * time ** 2), torch.sin(60 * time ** 2)]).unsqueeze(1)
    noisy = clean + 0.2 * torch.cos(300 * time)
    for _ in range(2):
        optimizer.zero_grad()
        criterion(net(noisy), clean).backward()
        optimizer.step()
    return {"net.conv1.weight": net.conv1.weight.grad}


def broken():
    return train(SpectralLoss)


def fixed():
    return train(PowerLoss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
