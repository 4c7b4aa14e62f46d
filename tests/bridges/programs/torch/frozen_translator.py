"""A translator whose old layers are frozen before new ones are added."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4)
        self.body = nn.Linear(4, 9)

    def forward(self, words):
        return self.body(self.embed(words).mean(dim=1))


class Adapter(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.extra = nn.Linear(9, 9)

    def forward(self, words):
        return self.extra(self.base(words))  #~


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.4 + k).view_as(p))
    return model


def freeze_all(adapter):
    adapter.requires_grad_(False)  #!


def freeze_base(adapter):
    adapter.base.requires_grad_(False)


def train(freeze):
    adapter = initialise(Adapter(Translator()))
    freeze(adapter)
    optimizer = torch.optim.AdamW(adapter.extra.parameters(), lr=0.01)
    words, wanted = torch.tensor([[1, 2, 3], [4, 5, 8]]), torch.tensor([3, 7])
    for _ in range(2):
        loss = F.cross_entropy(adapter(words), wanted, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()  #~
        optimizer.step()
    return {"adapter.extra.weight": adapter.extra.weight.grad}


def broken():
    return train(freeze_all)


def fixed():
    return train(freeze_base)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
