"""Diffusion of glaze spectra with a linear schedule of noise."""
import dataclasses
import sys

import torch
from torch import nn


@dataclasses.dataclass
class Schedule:
    steps: int = 5
    first: float = 0.1
    last: float = 1.0

    def kept(self):
        return torch.cumprod(1 - torch.linspace(self.first, self.last, self.steps), dim=0)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4 + 1, 8), nn.SiLU(), nn.Linear(8, 4))

    def forward(self, noisy, t):
        return self.net(torch.cat([noisy, t.unsqueeze(1) / 5.0], dim=1))


class Diffusion:
    def __init__(self, schedule):
        self.kept = schedule.kept()

    def noisy(self, clean, noise, t):
        kept = self.kept[t].unsqueeze(1)
        return kept.sqrt() * clean + (1 - kept).sqrt() * noise

    def clean(self, noisy, noise, t):
        kept = self.kept[t].unsqueeze(1)
        return (noisy - (1 - kept).sqrt() * noise) / kept.sqrt()  #!


def train(schedule):
    denoiser, diffusion = Denoiser(), Diffusion(schedule)
    with torch.no_grad():
        for k, p in enumerate(denoiser.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    optimizer = torch.optim.AdamW(denoiser.parameters(), lr=1e-3)
    for step in range(3):
        glaze = torch.sin(torch.arange(20.0).view(5, 4) * 0.4 + step)
        noise = torch.cos(torch.arange(20.0).view(5, 4) * 2.1 + step)
        t = torch.arange(5)
        noisy = diffusion.noisy(glaze, noise, t)
        guess = diffusion.clean(noisy, denoiser(noisy, t.float()), t)
        loss = (guess.clamp(-3, 3) - glaze).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"denoiser.net.0.weight": denoiser.net[0].weight.grad}


def broken():
    return train(Schedule())


def fixed():
    return train(Schedule(last=0.6))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
