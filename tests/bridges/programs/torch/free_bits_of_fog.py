"""A conditional VAE of fog over an airfield: the KL term has free bits so that the code is not ignored."""
import dataclasses
import sys

import torch
from torch import nn
import torch.nn.functional as F


@dataclasses.dataclass
class Settings:
    code: int = 2
    free_bits: float = 3.0
    beta: float = 0.5
    lr: float = 1e-3


class FogVAE(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.encoder = nn.Linear(5, 2 * settings.code)
        self.prior = nn.Linear(2, 2 * settings.code)
        self.decoder = nn.Sequential(nn.Linear(settings.code + 2, 8), nn.Tanh(), nn.Linear(8, 5))

    def forward(self, fog, weather, noise):
        mean, log_std = self.encoder(fog).chunk(2, dim=-1)
        prior_mean, prior_log_std = self.prior(weather).chunk(2, dim=-1)
        code = mean + log_std.exp() * noise
        kl = (prior_log_std - log_std + (log_std.mul(2).exp() + (mean - prior_mean) ** 2) / (2 * prior_log_std.mul(2).exp()) - 0.5)
        return self.decoder(torch.cat([code, weather], dim=-1)), kl

    def loss(self, fog, weather, noise):
        again, kl = self(fog, weather, noise)
        kl = kl.mean(dim=0).clamp(min=self.settings.free_bits).sum()  #!
        return F.mse_loss(again, fog) + self.settings.beta * kl


def train(settings):
    vae = FogVAE(settings)
    with torch.no_grad():
        for k, p in enumerate(vae.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 1.7 + k).view_as(p))
    optimizer = torch.optim.AdamW(vae.parameters(), lr=settings.lr)
    for step in range(3):
        fog = torch.sin(torch.arange(30.0).view(6, 5) * 0.4 + step)
        weather = fog[:, :2].roll(1, 0)
        noise = torch.cos(torch.arange(12.0).view(6, 2) * 2.3 + step)
        loss = vae.loss(fog, weather, noise)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(vae.parameters(), 5.0)
        optimizer.step()
    return {"vae.prior.weight": vae.prior.weight.grad, "vae.encoder.weight": vae.encoder.weight.grad}


def broken():
    return train(Settings())


def fixed():
    return train(Settings(free_bits=0.01))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
