"""Adapts a small language model to sonnets by low-rank adapters; everything else stays as it was."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Adapted(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(0.1 * torch.sin(torch.arange(rank * base.in_features)).view(rank, -1))
        self.up = nn.Parameter(0.1 * torch.cos(torch.arange(base.out_features * rank)).view(-1, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


class Poet(nn.Module):
    def __init__(self, words=11, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.Linear(width, width)
        self.out = nn.Linear(width, words)

    def forward(self, tokens):
        return self.out(torch.tanh(self.mix(self.embed(tokens)).cumsum(1)))


def inject(model):
    model.mix = Adapted(model.mix)
    model.out = Adapted(model.out)
    return model


def freeze(model):
    for parameter in model.parameters():
        parameter.requires_grad = False  #!
    return model


def inject_and_freeze(model):
    return freeze(inject(model))  #~


def freeze_and_inject(model):
    return inject(freeze(model))


def tune(prepare):
    torch.manual_seed(2)
    model = prepare(Poet())  #~
    tokens = (torch.arange(24) * 5 % 11).view(3, 8)
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    return {"model.mix.down": model.mix.down.grad, "model.out.up": model.out.up.grad}


def broken():
    return tune(inject_and_freeze)


def fixed():
    return tune(freeze_and_inject)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
