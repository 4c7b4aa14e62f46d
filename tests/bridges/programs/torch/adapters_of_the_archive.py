"""Adapters for an archive's reader: all but what is marked as an adapter is frozen."""
import sys

import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, width, rank=2):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.adapter_down = nn.Linear(width, rank, bias=False)
        self.scale_up = nn.Parameter(torch.sin(torch.arange(float(width * rank))).view(width, rank))

    def forward(self, pages):
        return self.base(pages) + self.adapter_down(pages) @ self.scale_up.t()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Adapted(4) for _ in range(2))
        self.norm = nn.LayerNorm(4)

    def forward(self, pages):
        for layer in self.layers:
            pages = pages + torch.tanh(layer(self.norm(pages)))
        return pages.mean(1)


def mark_trainable(model, words):
    for name, weight in model.named_parameters():
        weight.requires_grad_(any(word in name for word in words))  #!
    return [weight for weight in model.parameters() if weight.requires_grad]


def read(words):
    torch.manual_seed(69)
    reader = Reader()
    optimizer = torch.optim.AdamW(mark_trainable(reader, words), lr=1e-3)
    pages = torch.cos(torch.arange(20.0)).view(5, 4)
    for _ in range(2):
        loss = (reader(pages) - 0.3).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"reader.layers.0.scale_up": reader.layers[0].scale_up.grad,
            "reader.layers.0.adapter_down.weight": reader.layers[0].adapter_down.weight.grad}


def broken():
    return read(["adapter"])


def fixed():
    return read(["adapter", "scale_up"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
