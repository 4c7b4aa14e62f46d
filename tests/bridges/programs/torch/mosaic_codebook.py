"""A vector-quantized autoencoder for mosaic tiles."""

import torch
import torch.nn.functional as F
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, codes=6, dim=4, commitment=0.25):
        super().__init__()
        self.codebook = nn.Embedding(codes, dim)
        self.commitment = commitment
        self.register_buffer("usage", torch.zeros(codes))

    def nearest(self, z):
        with torch.no_grad():
            return torch.cdist(z, self.codebook.weight).argmin(dim=1)

    def forward(self, z):
        picked = self.nearest(z)
        with torch.no_grad():
            self.usage.mul_(0.9).index_add_(0, picked, torch.full((len(picked),), 0.1))
        code = self.codebook(picked)
        loss = F.mse_loss(code, z.detach()) + self.commitment * F.mse_loss(z, code.detach())
        return z + (code - z).detach(), loss


class Mosaic(nn.Module):
    def __init__(self, pixels=9, dim=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, 8), nn.SiLU(), nn.Linear(8, dim))
        self.quantizer = Quantizer(dim=dim)
        self.decoder = nn.Sequential(nn.Linear(dim, 8), nn.SiLU(), nn.Linear(8, pixels))

    def forward(self, tiles):
        code, loss = self.quantizer(self.encoder(tiles))
        return self.decoder(code), loss


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train():
    model = settle(Mosaic())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    tiles = torch.sigmoid(torch.sin(torch.arange(108.0) * 0.6)).view(12, 9)
    for epoch in range(3):
        rebuilt, code_loss = model(tiles)
        loss = F.mse_loss(rebuilt, tiles) + code_loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return {
        "model.encoder.0.weight": model.encoder[0].weight.grad,
        "model.quantizer.codebook.weight": model.quantizer.codebook.weight.grad,
        "model.decoder.2.weight": model.decoder[2].weight.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
