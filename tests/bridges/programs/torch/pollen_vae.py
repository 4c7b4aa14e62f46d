"""A variational autoencoder of pollen grains; while it warms up the code is the mean."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class PollenVAE(nn.Module):
    def __init__(self, size=6, code=2):
        super().__init__()
        self.enc = nn.Linear(size, 5)
        self.mu = nn.Linear(5, code)
        self.logvar = nn.Linear(5, code)
        self.dec = nn.Sequential(nn.Linear(code, 5), nn.ELU(), nn.Linear(5, size))

    def encode(self, x):
        h = F.elu(self.enc(x))
        return self.mu(h), self.logvar(h)

    def forward(self, x, noise):
        mu, logvar = self.encode(x)
        z = mu if noise is None else mu + noise * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def divergence(mu, logvar):
    return -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()


def fit_alone(fit, kl):
    return fit  #~


def both(fit, kl):
    return fit + 0.1 * kl


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(objective):
    vae = settle(PollenVAE())
    optimizer = torch.optim.Adam(vae.parameters(), lr=3e-3)
    grains = torch.sigmoid(torch.sin(torch.arange(30.0))).view(5, 6)
    history = []
    for epoch in range(3):
        optimizer.zero_grad()
        out, mu, logvar = vae(grains, None)
        fit = F.binary_cross_entropy_with_logits(out, grains)  #!
        kl = divergence(mu, logvar)
        loss = objective(fit, kl)  #~
        loss.backward()
        optimizer.step()
        history.append((fit.item(), kl.item()))
    return {"vae.logvar.weight": vae.logvar.weight.grad, "vae.mu.weight": vae.mu.weight.grad}


def broken():
    return train(fit_alone)


def fixed():
    return train(both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
