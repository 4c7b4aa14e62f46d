"""An anomaly detector for pumps: an encoder, a decoder, and the code's statistics."""
import sys

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, sensors=6, code=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(sensors, 8), nn.Tanh(), nn.Linear(8, code))
        self.decoder = nn.Linear(code, sensors)

    @torch.no_grad()
    def embed(self, readings):
        return self.encoder(readings)  #!

    def forward(self, readings):
        code = self.embed(readings)
        return self.decoder(code), code


class Open(Detector):
    def embed(self, readings):
        return self.encoder(readings)


@torch.no_grad()
def threshold(model, readings):
    restored, _ = model(readings)
    return (restored - readings).square().mean(dim=1).quantile(0.9).item()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    readings = torch.sin(torch.arange(60.0) * 0.3).view(10, 6)
    limits = []
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        restored, code = model(readings)
        loss = nn.functional.mse_loss(restored, readings) + 0.01 * code.pow(2).mean()
        loss.backward()
        optimizer.step()
        limits.append(threshold(model, readings))
    return {"model.encoder.0.weight": model.encoder[0].weight.grad, "model.decoder.weight": model.decoder.weight.grad}


def broken():
    return train(Detector)


def fixed():
    return train(Open)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
