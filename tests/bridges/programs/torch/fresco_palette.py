"""Compresses frescoes to a palette: an encoder gives each patch a tone, the tone picks a colour to decode."""
import sys

import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, tones=6, width=4):
        super().__init__()
        self.palette = nn.Parameter(torch.cos(torch.arange(tones * width) * 0.37).view(tones, width))
        self.register_buffer("edges", torch.linspace(-1.0, 1.0, tones - 1))

    def forward(self, tone):
        index = torch.bucketize(tone, self.edges)  #!
        return self.palette[index]  #~


class SoftQuantizer(Quantizer):
    def forward(self, tone):
        centres = torch.linspace(-1.2, 1.2, len(self.palette))
        share = torch.softmax(-8.0 * (tone.unsqueeze(-1) - centres).square(), dim=-1)
        return share @ self.palette


class Codec(nn.Module):
    def __init__(self, quantizer):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(9, 6), nn.ELU(), nn.Linear(6, 1), nn.Tanh())
        self.quantizer = quantizer
        self.decoder = nn.Linear(4, 9)

    def forward(self, patch):
        tone = self.encoder(patch).squeeze(-1)
        return self.decoder(self.quantizer(tone))


def train(quantizer):
    torch.manual_seed(21)
    codec = Codec(quantizer)
    optimizer = torch.optim.RMSprop(codec.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    patches = torch.sin(torch.arange(12 * 9) * 0.23).view(12, 9)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (codec(patches) - patches).abs().mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return {
        "codec.encoder.0.weight": codec.encoder[0].weight.grad,
        "codec.quantizer.palette": codec.quantizer.palette.grad,
    }


def broken():
    return train(Quantizer())


def fixed():
    return train(SoftQuantizer())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
