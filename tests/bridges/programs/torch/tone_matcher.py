"""Fits the harmonics of an additive synthesizer to a recorded tone by its spectrum."""
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Synth(nn.Module):
    def __init__(self, partials=4, samples=64):
        super().__init__()
        self.strength = nn.Linear(2, partials)
        self.gain = nn.Parameter(torch.tensor(0.8))
        time = torch.arange(samples) / samples
        self.register_buffer("waves", torch.sin(2 * torch.pi * torch.outer(torch.arange(1.0, partials + 1), time)))

    def spectrum(self, audio):
        audio = audio.detach().cpu().numpy()  #!
        window = np.hanning(audio.shape[-1])
        return torch.from_numpy(np.abs(np.fft.rfft(audio * window))).float()  #~

    def forward(self, controls):
        audio = torch.softmax(self.strength(controls), dim=-1) @ self.waves
        return self.gain * self.spectrum(audio)


class RightSynth(Synth):
    def spectrum(self, audio):
        return torch.fft.rfft(audio * torch.hann_window(audio.shape[-1])).abs()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind, epochs=2):
    synth = settle(kind())
    pitch = torch.sin(torch.arange(12.0)).view(6, 2)
    with torch.no_grad():
        recorded = torch.fft.rfft(torch.cos(pitch @ torch.ones(2, 64) * torch.arange(64.0))).abs()
    loader = DataLoader(TensorDataset(pitch, recorded), batch_size=3)
    optimizer = torch.optim.Adam(synth.parameters(), lr=1e-2)
    for epoch in range(epochs):
        for controls, target in loader:
            optimizer.zero_grad()
            loss = (synth(controls) - target.detach()).abs().mean()
            loss.backward()
            optimizer.step()
    return {"synth.strength.weight": synth.strength.weight.grad, "synth.gain": synth.gain.grad}


def broken():
    return train(Synth)


def fixed():
    return train(RightSynth)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
