"""Nowcasts rain from radar: residual blocks whose branch has a scale of its own per layer and per channel."""
import sys

import torch
import torch.nn as nn


class ScaledBlock(nn.Module):
    """x + gate * scale * f(x), the identity at the start."""

    def __init__(self, channels, scale):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.mix = nn.Conv2d(channels, channels, 1)
        self.gate = nn.Parameter(torch.zeros(1))  #~
        self.scale = nn.Parameter(torch.full((channels, 1, 1), scale))

    def forward(self, x):
        branch = self.mix(torch.nn.functional.gelu(self.conv(x)))
        return x + self.gate * (self.scale * branch)  #!


class Nowcast(nn.Module):
    def __init__(self, scale, channels=6, depth=2):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.ModuleList(ScaledBlock(channels, scale) for _ in range(depth))
        self.head = nn.Conv2d(channels, 1, 1)

    def forward(self, radar):
        x = self.stem(radar)
        for block in self.blocks:
            x = block(x)
        return nn.functional.softplus(self.head(x))


def radar_frames(count=4, size=8):
    field = torch.sin(torch.arange(count * 4 * size * size) * 0.09).reshape(count, 4, size, size).relu()
    return field[:, :3], field[:, 3:]


def train(scale, steps=4):
    torch.manual_seed(13)
    model = Nowcast(scale)
    decayed = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=1e-3)
    past, future = radar_frames()
    for _ in range(steps):
        rain = model(past)
        loss = (rain - future).square().mean() + 0.1 * (rain - future).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.blocks.0.gate": model.blocks[0].gate.grad,
        "model.blocks.0.scale": model.blocks[0].scale.grad,
        "model.stem.weight": model.stem.weight.grad,
    }


def broken():
    return train(scale=0.0)  #~


def fixed():
    return train(scale=1e-1)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
