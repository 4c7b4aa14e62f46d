"""Recognises a horse's gait from an accelerometer; dilated convolutions, each with a norm."""
import sys

import torch
from torch import nn


class GaitNet(nn.Module):
    def __init__(self, channels=4, dilations=(1, 2, 4), norms=2):
        super().__init__()
        self.enter = nn.Conv1d(3, channels, 1)
        self.convs = nn.ModuleList()
        self.norms = nn.ModuleList(nn.GroupNorm(2, channels) for _ in range(norms))
        for dilation in dilations:
            layer = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)  #!
            self.convs.append(layer)
        self.leave = nn.Linear(channels, 4)

    def forward(self, x):
        h = self.enter(x)
        for conv, norm in zip(self.convs, self.norms):
            h = h + torch.relu(norm(conv(h)))
        return self.leave(h.mean(dim=-1))


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name:
                p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def signal(count, steps=20):
    t = torch.arange(float(count * steps)).view(count, 1, steps)
    return torch.cat([torch.sin(0.3 * t), torch.cos(0.5 * t), torch.sin(0.7 * t + 1)], dim=1)


def train(norms):
    model = settle(GaitNet(norms=norms))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
    x, gait = signal(8), torch.arange(8) % 4
    for epoch in range(3):
        model.train()
        loss = nn.functional.cross_entropy(model(x), gait, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    return {
        "model.convs.2.weight": model.convs[2].weight.grad,
        "model.convs.1.weight": model.convs[1].weight.grad,
        "model.enter.bias": model.enter.bias.grad,
    }


def broken():
    return train(norms=2)


def fixed():
    return train(norms=3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
