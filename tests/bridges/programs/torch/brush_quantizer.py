"""Quantises the strokes of a painting robot; the rounding passes gradients straight through."""
import sys

import torch
from torch import nn


def rounded(value, levels):
    scaled = value * levels
    return value + (scaled.round() / levels - value).detach()


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.stroke = nn.Linear(2, 6)
        self.colour = nn.Linear(6, 3)
        self.register_buffer("seen", torch.zeros(3))
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.5 * torch.cos(torch.arange(p.numel()) + k).view_as(p))

    def forward(self, place):
        mixed = self.colour(rounded(torch.tanh(self.stroke(place)), 8))
        with torch.no_grad():
            self.seen.mul_(0.9).add_(0.1 * mixed.mean(0))
        return torch.sigmoid(mixed - self.seen)


def report(model, places):
    model.eval()
    with torch.inference_mode():
        found = model(places).mean(0).tolist()
    model.train()
    return found


def paint():
    painter = Painter()
    places, picture = torch.sin(torch.arange(16.0)).view(8, 2), torch.linspace(0.1, 0.9, 24).view(8, 3)
    optimizer = torch.optim.AdamW(painter.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    history = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = (painter(places) - picture).square().mean()
        loss.backward()
        optimizer.step()
        schedule.step()
        history.append(loss.item())
    report(painter, places)
    return {"painter.stroke.weight": painter.stroke.weight.grad, "painter.colour.weight": painter.colour.weight.grad}


def broken():
    return paint()


if __name__ == "__main__":
    print(broken())
