"""Damps the flutter of a wing: a filter in the frequency domain with learned gains and phases."""
import sys

import torch
from torch import nn


class Filter(nn.Module):
    def __init__(self, bins, phase_of):
        super().__init__()
        self.gain = nn.Parameter(torch.linspace(0.5, 1.5, bins))
        self.phase = nn.Parameter(torch.linspace(-0.4, 0.4, bins))
        self.phase_of = phase_of

    def response(self):
        return torch.polar(self.gain.abs(), self.phase_of(self.phase))

    def forward(self, signal):
        spectrum = torch.fft.rfft(signal, dim=-1)
        return torch.fft.irfft(spectrum * self.response(), n=signal.shape[-1], dim=-1)


def wrapped(phase, limit=3.14159):
    return torch.tensor([max(-limit, min(limit, angle)) for angle in phase.tolist()])  #!


def plain(phase):
    return phase.clamp(-3.14159, 3.14159)


def tune(phase_of):
    model = Filter(9, phase_of)
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-2)
    time = torch.arange(16.0)
    measured = torch.stack([torch.sin(0.7 * time + k) + 0.3 * torch.cos(2.1 * time) for k in range(4)])
    wanted = torch.stack([torch.sin(0.7 * time + k + 0.2) for k in range(4)])
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        loss = torch.view_as_real(torch.fft.rfft(model(measured) - wanted)).square().sum()
        loss.backward()
        optimizer.step()
    return {"model.phase": model.phase.grad, "model.gain": model.gain.grad}


def broken():
    return tune(wrapped)


def fixed():
    return tune(plain)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
