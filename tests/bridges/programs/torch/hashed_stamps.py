"""Learns binary codes of postage stamps so that similar stamps get similar codes."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Codes(nn.Module):
    def __init__(self, bits=6):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(8, 10), nn.GELU())
        self.hash = nn.Linear(10, bits)
        self.read = nn.Linear(bits, 8)

    def binary(self, h):
        return torch.sign(h)  #!

    def forward(self, stamps):
        return self.binary(self.hash(self.stem(stamps)))


class StraightCodes(Codes):
    def binary(self, h):
        return h + (torch.sign(h) - h).detach()


def loss_of(model, stamps):
    codes = model(stamps)
    wanted = F.cosine_similarity(stamps.unsqueeze(0), stamps.unsqueeze(1), dim=-1).detach()
    alike = codes @ codes.t() / codes.shape[1]
    return F.mse_loss(alike, wanted) + F.mse_loss(model.read(codes), stamps)


def train(kind):
    torch.manual_seed(20)
    model = kind()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    stamps = torch.sin(torch.arange(48.0) * 0.6).view(6, 8)
    for _ in range(2):
        optimizer.zero_grad()
        loss_of(model, stamps).backward()
        optimizer.step()
    return {
        "model.hash.weight": model.hash.weight.grad,
        "model.stem.0.weight": model.stem[0].weight.grad,
        "model.read.weight": model.read.weight.grad,
    }


def broken():
    return train(Codes)


def fixed():
    return train(StraightCodes)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
