"""Pairs aerial pictures with captions by a contrastive loss whose scale is learned and bounded."""
import sys

import torch
import torch.nn.functional as F
from torch import nn, Tensor

LARGEST = 4.6


class Pairs(nn.Module):
    def __init__(self, pixels: int, words: int, dim: int = 6):
        super().__init__()
        self.picture = nn.Linear(pixels, dim, bias=False)
        self.caption = nn.EmbeddingBag(words, dim, mode="mean")
        self.scale = nn.Parameter(torch.tensor(4.7))

    def similarity(self, pictures: Tensor, captions: Tensor) -> Tensor:
        a = F.normalize(self.picture(pictures), dim=-1)
        b = F.normalize(self.caption(captions), dim=-1)
        return a @ b.t()

    def forward(self, pictures: Tensor, captions: Tensor) -> Tensor:
        logits = self.similarity(pictures, captions) * self.scale
        with torch.no_grad():
            self.scale.clamp_(0, LARGEST)  #!
        labels = torch.arange(len(pictures))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


class PairsClampedFirst(Pairs):
    def forward(self, pictures: Tensor, captions: Tensor) -> Tensor:
        logits = self.similarity(pictures, captions) * self.scale.clamp(0, LARGEST + 1)
        labels = torch.arange(len(pictures))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


def one_epoch(net: Pairs, pictures: Tensor, captions: Tensor) -> None:
    opt = torch.optim.AdamW(net.parameters(), lr=5e-4, betas=(0.9, 0.98), weight_decay=0.2)
    for p, c in zip(pictures.split(4), captions.split(4)):
        opt.zero_grad()
        net(p, c).backward()
        opt.step()


def run(kind: type) -> dict:
    torch.manual_seed(1)
    net = kind(pixels=9, words=20)
    one_epoch(net, torch.linspace(-1, 1, 72).view(8, 9).cos(), torch.arange(24).view(8, 3) % 20)
    return {"net.picture.weight": net.picture.weight.grad, "net.scale": net.scale.grad}


def broken():
    return run(Pairs)


def fixed():
    return run(PairsClampedFirst)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
