"""Fine-tunes a recogniser of old handwriting: the first blocks stay, the later ones and the head are trained."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        return x + F.gelu(self.mix(self.norm(x)))


class Handwriting(nn.Module):
    def __init__(self, dim=6, depth=12):
        super().__init__()
        for k in range(depth):
            self.add_module(f"block{k}", Block(dim))
        self.depth = depth
        self.letters = nn.Linear(dim, 5)

    def forward(self, strokes):
        for k in range(self.depth):
            strokes = getattr(self, f"block{k}")(strokes)
        return self.letters(strokes)


def starts(name, kept):
    return name.startswith(kept)


def is_block(name, kept):
    return name.split(".")[0] == kept


def freeze(model, kept, belongs):
    for name, parameter in model.named_parameters():
        if any(belongs(name, prefix) for prefix in kept):
            parameter.requires_grad = False  #!


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if "norm" not in name:
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(belongs):
    model = settle(Handwriting())
    freeze(model, ["block0", "block1"], belongs)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3, weight_decay=0.01)
    strokes, letters = torch.cos(torch.arange(60.0) * 0.7).view(10, 6), torch.arange(10) % 5
    for epoch in range(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(strokes), letters)
        loss.backward()
        nn.utils.clip_grad_value_(trained, 0.5)
        optimizer.step()
    return {
        "model.block11.mix.weight": model.block11.mix.weight.grad,
        "model.block2.mix.weight": model.block2.mix.weight.grad,
        "model.letters.weight": model.letters.weight.grad,
    }


def broken():
    return train(starts)


def fixed():
    return train(is_block)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
