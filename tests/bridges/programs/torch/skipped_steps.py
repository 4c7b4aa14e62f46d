"""Trains a radar classifier with a gradient scaler that begins far too high: its first steps are skipped."""
import torch
import torch.nn.functional as F
from torch import nn


class Radar(nn.Module):
    def __init__(self):
        super().__init__()
        self.echo = nn.Linear(5, 8)
        self.kind = nn.Linear(8, 3)

    def forward(self, x):
        return self.kind(F.gelu(self.echo(x)))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    model = settle(Radar())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 127, backoff_factor=2.0 ** -60, growth_interval=100)
    echoes, kinds = torch.sin(torch.arange(40.0)).view(8, 5) * 3, torch.arange(8) % 3
    for _ in range(5):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(echoes), kinds)
        scaler.scale(1000 * loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        scaler.step(optimizer)
        scaler.update()
    return {"model.echo.weight": model.echo.weight.grad, "model.kind.bias": model.kind.bias.grad}


if __name__ == "__main__":
    print(broken())
