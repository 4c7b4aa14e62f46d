"""An autoencoder of plankton spectra with a smoothness term on the code."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return model


class Autoencoder(nn.Module):
    def __init__(self, bands=8, code=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(bands, 6), nn.Tanh(), nn.Linear(6, code))
        self.decoder = nn.Sequential(nn.Linear(code, 6), nn.Tanh(), nn.Linear(6, bands))
        self.history = []

    def encode(self, spectra):
        code = self.encoder(spectra)
        self.history.append(code.detach())  #!
        return code

    def forward(self, spectra):
        self.encode(spectra)
        code = self.history[-1]
        return self.decoder(code), code


class OpenAutoencoder(Autoencoder):
    def forward(self, spectra):
        code = self.encode(spectra)
        return self.decoder(code), code


def samples():
    steps = torch.arange(32.0).view(4, 8)
    return torch.sin(steps * 0.3) + 0.2 * torch.cos(steps)


def train(kind, epochs=3):
    model = initialise(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    spectra = samples()
    level = spectra.mean().item()
    for _ in range(epochs):
        optimizer.zero_grad()
        rebuilt, code = model(spectra)
        loss = F.mse_loss(rebuilt, spectra) + 0.01 * (code - level).pow(2).mean()
        loss.backward()
        optimizer.step()
    return {
        "model.encoder.0.weight": model.encoder[0].weight.grad,
        "model.decoder.0.weight": model.decoder[0].weight.grad,
    }


def broken():
    return train(Autoencoder)


def fixed():
    return train(OpenAutoencoder)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
