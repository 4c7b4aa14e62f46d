"""A vector-quantized autoencoder of mosaic tiles."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, codes=5, dim=3, commitment=0.25):
        super().__init__()
        self.codes = nn.Parameter(torch.sin(torch.arange(codes * dim) * 1.1).view(codes, dim))
        self.commitment = commitment

    def nearest(self, z):
        return self.codes[torch.cdist(z, self.codes).argmin(dim=1)]

    def penalty(self, z, q):
        return self.commitment * F.mse_loss(z, q.detach())  #~

    def forward(self, z):
        q = self.nearest(z)
        return z + (q - z).detach(), self.penalty(z, q)  #!


class TwoSided(Quantizer):
    def penalty(self, z, q):
        return super().penalty(z, q) + F.mse_loss(q, z.detach())


class Autoencoder(nn.Module):
    def __init__(self, quantizer):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3))
        self.quantizer = quantizer
        self.decode = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 8))

    def forward(self, tiles):
        code, penalty = self.quantizer(self.encode(tiles))
        return self.decode(code), penalty


def train(kind, steps=2):
    torch.manual_seed(0)
    vae = Autoencoder(kind())
    optimizer = torch.optim.Adam(vae.parameters(), lr=2e-3)
    tiles = torch.sin(torch.arange(80.0) * 0.9).view(10, 8)
    for _ in range(steps):
        again, penalty = vae(tiles)
        loss = F.mse_loss(again, tiles) + penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"vae.quantizer.codes": vae.quantizer.codes.grad, "vae.encode.0.weight": vae.encode[0].weight.grad}


def broken():
    return train(Quantizer)


def fixed():
    return train(TwoSided)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
