"""A conditional VAE for ice cover; its prior depends on the season."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence


class Gaussian(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.mean, self.log_std = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, x):
        return Normal(self.mean(x), self.log_std(x).clamp(-4, 2).exp())


class SeasonalVAE(nn.Module):
    def __init__(self, pixels=6, seasons=2, code=3):
        super().__init__()
        self.encoder = Gaussian(pixels + seasons, code)
        self.prior = Gaussian(seasons, code)
        self.decoder = nn.Sequential(nn.Linear(code + seasons, 8), nn.GELU(), nn.Linear(8, pixels))

    def forward(self, cover, season, noise):
        posterior = self.encoder(torch.cat([cover, season], dim=1))
        code = posterior.mean + posterior.stddev * noise
        rebuilt = self.decoder(torch.cat([code, season], dim=1))
        return rebuilt, kl_divergence(posterior, self.prior(season)).sum(dim=1).mean()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return module


def step(model, optimizer, batch, noise, beta):
    rebuilt, divergence = model(*batch, noise)
    loss = F.mse_loss(rebuilt, batch[0])  #~
    bound = loss + beta * divergence
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()
    return bound.item()


def step_on_bound(model, optimizer, batch, noise, beta):
    rebuilt, divergence = model(*batch, noise)
    bound = F.mse_loss(rebuilt, batch[0]) + beta * divergence
    optimizer.zero_grad()
    bound.backward()
    optimizer.step()
    return bound.item()


def train(one_step):
    model = settle(SeasonalVAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    cover = torch.sigmoid(torch.sin(torch.arange(48.0))).view(8, 6)
    season = F.one_hot(torch.arange(8) % 2, 2).float()
    history = []
    for epoch in range(4):
        noise = torch.cos(torch.arange(24.0) * (epoch + 1)).view(8, 3)
        history.append(one_step(model, optimizer, (cover, season), noise, beta=0.1))
    return {
        "model.prior.mean.weight": model.prior.mean.weight.grad,
        "model.encoder.log_std.weight": model.encoder.log_std.weight.grad,
        "model.decoder.0.weight": model.decoder[0].weight.grad,
    }


def broken():
    return train(step)


def fixed():
    return train(step_on_bound)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
